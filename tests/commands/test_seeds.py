"""Several seeds of one run at once."""

from pathlib import Path

import pytest

from pacer.commands.train import _without, parse
from pacer.errors import PacerError
from pacer.experiments.seeds import final_score, jobs_of
from pacer.runs.reader import Run
from tests.commands.test_cli import SMALL
from tests.tiny_runs import configuration


def test_every_seed_is_a_job_with_a_line_of_its_own():
    words = ["sac", "--env", "Pendulum-v1", "--seeds", "3", "5", "--run-dir=here", "--quiet"]
    config, chosen = parse(words)
    assert chosen.seeds == (3, 5)
    rest = _without(words, "--seeds", "--seed", "--run-dir")
    assert rest == ["sac", "--env", "Pendulum-v1", "--quiet"]
    jobs = jobs_of(config, chosen.seeds, rest, chosen.run_dir)
    assert [job.folder for job in jobs] == [Path("here/seed3"), Path("here/seed5")]
    for job, seed in zip(jobs, (3, 5), strict=True):
        again, line = parse(list(job.words[1:]))
        assert (again, line.run_dir) == (job.config, job.folder)
        assert job.config.seed == seed
    assert jobs_of(config, [1], rest, None)[0].folder == Path("runs/Pendulum-v1/sac/seed1")


@pytest.mark.parametrize("seeds", [(1, 1), (-1, 0)])
def test_seeds_that_are_none_are_refused(seeds):
    with pytest.raises(PacerError, match="expected different whole numbers, 0 or more"):
        jobs_of(configuration(), seeds, [], None)


@pytest.mark.slow
def test_seeds_are_trained_side_by_side(command, tmp_path):
    code, said = command("train", *SMALL, "--seeds", 0, 1, "--run-dir", tmp_path)
    assert code == 0, said
    assert "seed 1: greedy return" in said
    assert f"pacer compare {tmp_path / 'seed0'} {tmp_path / 'seed1'}" in said
    scores = [final_score(tmp_path / f"seed{seed}") for seed in (0, 1)]
    assert scores[0] != scores[1]
    assert all(Run(tmp_path / f"seed{seed}").status == "finished" for seed in (0, 1))
