"""What a plan costs: measured once per kind of recipe, and an array job of it."""

import subprocess
from dataclasses import replace

import pytest

from pacer.experiments import estimate as module
from pacer.experiments.array_job import write_array
from pacer.experiments.estimate import Speed, estimate, measure
from pacer.experiments.plan import Choices, plan
from tests.tiny_runs import configuration


def test_a_short_run_tells_the_speed():
    speed = measure(configuration(environment="tests.worlds:Drift-v0"))
    assert 0 < speed.update < 0.1
    assert 0 < speed.step < 0.01
    assert 0 < speed.evaluation_step < 0.01


def test_the_cost_of_a_run():
    config = plan(Choices("quick"))[0].config  # 4,000 updates, 5,000 steps, 5 evaluations of 20 episodes
    assert Speed(1.0, 0.1, 0.01).of(config, 100) == pytest.approx(4_000 + 500 + 5 * 20 * 100 * 0.01)


def test_recipes_that_differ_in_numbers_are_measured_once_per_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    measured = []
    monkeypatch.setattr(module, "measure", lambda config: measured.append(config.label) or Speed(1, 0, 0))
    jobs = plan(Choices("utility", seeds=2))
    assert len(estimate(jobs)) == len(jobs) == 36
    assert measured == ["pacer-m-paper", "pacer-m-paper-utility_power_0.5", "pacer-m-paper-risk_cvar_0.25"]
    estimate(jobs)
    assert len(measured) == 3
    wider = replace(jobs[0], config=replace(jobs[0].config, recipe=replace(jobs[0].config.recipe, batch=64)))
    estimate([wider])
    assert len(measured) == 4


def test_an_array_job_runs_every_job(tmp_path):
    file = tmp_path / "job.sh"
    write_array(file, Choices("quick", steps=3000).words(), [600.0] * 7 + [5400.0])
    text = file.read_text("utf-8")
    assert "#SBATCH --array=0-7\n" in text
    assert "#SBATCH --time=4:00:00\n" in text
    assert 'exec pacer bench quick --steps 3000 --job "$SLURM_ARRAY_TASK_ID"' in text
    assert subprocess.run(["bash", "-n", str(file)], check=False).returncode == 0
