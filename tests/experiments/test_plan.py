"""Experiments become jobs: which, where, and what one would type for each."""

import re
import shlex
from pathlib import Path

import pytest
import tyro

from pacer.commands.bench import Arguments, main
from pacer.commands.train import parse
from pacer.config import default_folder
from pacer.errors import PacerError
from pacer.experiments.find import find, names
from pacer.experiments.plan import Choices, plan

ROOT = Path(__file__).parents[2]
PAPER = {"mujoco": 66, "ablation": 9, "utility": 18, "navigation": 24, "adaptive": 12, "heatmaps": 5}


def test_the_catalogue():
    assert set(names()) == {*PAPER, "quick"}


@pytest.mark.parametrize("name", sorted(PAPER))
def test_the_defaults_are_the_papers_protocol(name):
    experiment = find(name)
    jobs = plan(Choices(name))
    assert (experiment.steps, experiment.seeds, experiment.size) == (1_000_000, 7, "paper")
    assert len(jobs) == 7 * PAPER[name] == len({job.folder for job in jobs})
    assert {job.config.recipe.batch for job in jobs} == {400}
    assert [job.config.seed for job in jobs[: PAPER[name]]] == [0] * PAPER[name]


@pytest.mark.parametrize(
    "name", ["quick", *(pytest.param(name, marks=pytest.mark.slow) for name in sorted(PAPER) if name != "heatmaps")]
)
def test_the_command_of_a_job_is_the_same_run(name):
    for job in plan(Choices(name, seeds=1)):
        words = shlex.split(job.command)
        assert words[:2] == ["pacer", "train"]
        assert parse(words[2:])[0] == job.config
        assert job.folder == default_folder(job.config)


def test_experiments_share_cells():
    assert {job.folder for job in plan(Choices("adaptive"))} < {job.folder for job in plan(Choices("mujoco"))}


def test_choices():
    jobs = plan(Choices("mujoco", 2e4, 3, "small", ("sac", "pacer-m"), ("Hopper-v4",), (0, 2), Path("there")))
    assert [(job.config.label, job.config.seed, job.config.steps) for job in jobs] == [
        ("pacer-m", 0, 20_000),
        ("sac", 0, 20_000),
        ("pacer-m", 2, 20_000),
        ("sac", 2, 20_000),
    ]
    assert jobs[0].folder == Path("there/Hopper-v4/pacer-m/seed0")
    assert jobs[0].command.endswith("--run-dir there/Hopper-v4/pacer-m/seed0")


def test_a_recipe_that_is_given_whole_is_chosen_by_its_name(tmp_path):
    file = own(
        tmp_path,
        """
from pacer import RECIPES
EXPERIMENT = Experiment("", tuple(Cell(RECIPES[name][1], "Pendulum-v1", overrides={"recipe.batch": 7})
                                  for name in ("sac", "td3")))
""",
    )
    assert {job.config.label for job in plan(Choices(file, only_recipe=("sac",)))} == {"sac-paper-batch_7"}


@pytest.mark.parametrize("name, number", [("quick", 0), ("heatmaps", 2)])
def test_runs_are_tracked_however_they_are_started(name, number):
    job = plan(Choices(name, seeds=1, track="tensorboard"))[number]
    assert job.track == "tensorboard"
    assert "--track tensorboard" in job.command


def test_a_run_that_words_cannot_say_is_a_number_of_the_plan():
    job = plan(Choices("heatmaps", steps=3000, seeds=1))[2]
    assert job.command == "pacer bench heatmaps --steps 3000 --seeds 1 --job 2"


@pytest.mark.parametrize(
    "choices, said",
    [
        (Choices("mujocco"), "Did you mean mujoco"),
        (Choices("quick", only_recipe=("sax",)), "Did you mean sac"),
        (Choices("quick", only_env=("Pendulum",)), "Did you mean Pendulum-v1"),
        (Choices("quick", only_seed=(2,)), "It has 0, 1"),
        (Choices("quick", seeds=0), "seeds is 0"),
        (Choices("nowhere.py"), "there is no file"),
    ],
)
def test_what_is_refused(choices, said):
    with pytest.raises(PacerError, match=said):
        plan(choices)


@pytest.mark.parametrize("processes", ["0", "-1"])
def test_no_processes_are_refused(processes):
    with pytest.raises(PacerError, match=f"processes is {processes}: expected 1 or more"):
        main(["quick", "--processes", processes])


def own(folder, text):
    file = folder / "sweep.py"
    file.write_text("from pacer.experiments import Cell, Experiment\n" + text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "defines no EXPERIMENT"),
        ("EXPERIMENT = Experiment('none', ())", "has no cells"),
        ("1 / 0", "ZeroDivisionError"),
        ("EXPERIMENT = Experiment('twice', (Cell('sac', 'Pendulum-v1'),) * 2)", "the same run"),
    ],
)
def test_a_file_that_is_no_experiment(tmp_path, text, said):
    with pytest.raises(PacerError, match=said):
        plan(Choices(own(tmp_path, text)))


@pytest.mark.slow
def test_the_page_on_experiments_shows_what_the_command_line_takes(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "experiments.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    (tmp_path / "my_sweep.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^(pacer bench \S.*?)(?: *#.*| &&.*)?$", page, re.M)
    assert len(lines) > 10
    for line in lines:
        arguments = tyro.cli(Arguments, args=shlex.split(line)[2:])
        assert plan(arguments.choices())


def test_the_example_is_an_experiment_of_ones_own():
    file = ROOT / "examples" / "own_experiment.py"
    jobs = plan(Choices(str(file)))
    assert len(jobs) == 6
    assert shlex.split(jobs[1].command) == ["pacer", "bench", str(file), "--job", "1"]
