"""The command line: what it refuses, with which code, and runs that are stopped, killed and started again."""

import os
import signal
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

import pacer_launcher
from pacer import commands
from pacer.commands.train import parse
from pacer.config import default_folder, resolve
from pacer.envs.identity import identity_of
from pacer.errors import PacerError
from pacer.pieces.bodies.norms import LayerNorm
from pacer.pieces.encouragers.weights import Fixed
from pacer.pieces.optimisers import AdamW
from pacer.pieces.piece import Piece
from pacer.recipes import RECIPES
from pacer.training.execute import execute
from tests.tiny_runs import STEPS, configuration, everything, newest, results, train
from tests.worlds import Drift

pytestmark = pytest.mark.xdist_group("training")
ROOT = Path(__file__).parents[2]
ENV = "tests.worlds:Drift-v0"
# The same small run as in tests/runs.py, so that it compiles once.
SMALL = [
    *("--env", ENV, "--steps", "200", "--recipe.batch", "16"),
    *("--recipe.noise", "Held", "--recipe.noise.longest", "5"),
    *(
        "--recipe.actor.body.hidden",
        "16",
        "16",
        "--recipe.critic.body.hidden",
        "16",
        "16",
        "--recipe.critic.levels",
        "4",
    ),
    *("--schedule.block", "10", "--schedule.updates", "2", "--schedule.warm-up", "40", "--schedule.learn-after", "20"),
    *("--schedule.evaluate-every", "50", "--schedule.evaluation-episodes", "2", "--schedule.checkpoint-every", "50"),
    *("--schedule.log-every", "20", "--schedule.replay-capacity", "120"),
]


def pacer(*arguments, **variables):
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "pacer", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_names_every_command(command, arguments):
    code, said = command(*arguments)
    assert code == 0
    assert all(f"pacer {name}" in said for name in pacer_launcher.COMMANDS)


def test_every_command_has_a_module_and_every_module_a_command():
    modules = {p.stem for p in Path(commands.__file__).parent.glob("[!_]*.py")}
    assert modules == set(pacer_launcher.COMMANDS)


@pytest.mark.parametrize("arguments", [["--help"], ["tarin"]])
def test_help_and_unknown_commands_do_not_wait_for_the_package(arguments):
    code = "import sys, pacer_launcher as p\ntry: p.main()\nfinally: assert 'pacer' not in sys.modules"
    # Without `site`, whose .pth files of an installation may import anything.
    run = subprocess.run(
        [sys.executable, "-S", "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(pacer_launcher.__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in run.stderr
    assert "expected train" in run.stderr if arguments == ["tarin"] else "pacer train" in run.stdout


def test_windows_is_refused_in_so_many_words(command, monkeypatch):
    monkeypatch.setattr(pacer_launcher, "WINDOWS", True)
    code, said = command("list")
    assert (code, said) == (1, "pacer: Windows lacks the locks and signals that runs need: use pacer in WSL")


def test_list_names_every_recipe_and_size(command):
    code, said = command("list")
    assert code == 0
    lines = said.splitlines()
    assert all(any(line.startswith(name) for line in lines) for name in (*RECIPES, "small", "paper"))


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (["tarin"], 1, "unknown command 'tarin': expected train"),
        (["train", "pacer-n", "--env", "Pendulum-v1"], 1, "unknown recipe 'pacer-n'. Did you mean pacer-"),
        (["train", "--env", "Hoper-v4"], 1, "unknown environment 'Hoper-v4'. Did you mean Hopper-v4"),
        (["train", "--env", "nomodule:Own-v0"], 1, "needs a module that is not installed"),
        (["train", "--env", "CartPole-v1"], 1, "Discrete actions are not supported"),
        (["train"], 2, "env"),
        (["train", "--env", "Pendulum-v1", "--recipe.actor.wings", "2"], 2, "--recipe.actor.wings"),
        (["train", "--env", "Pendulum-v1", "--recipe.batch", "many"], 2, "--recipe.batch"),
        (["train", "--env", "Pendulum-v1", "--recipe.discount", "2"], 2, "expected 0 <= discount < 1"),
        (["train", "--env", "Pendulum-v1", "--size", "huge"], 1, "unknown size 'huge': expected small or paper"),
        (["train", "--env", "Pendulum-v1", "--steps", "0"], 1, "steps is 0: expected a whole number from 1"),
        (["train", "--env", "Pendulum-v1", "--steps", "-70"], 1, "steps is -70: expected a whole number from 1"),
        (["train", "--env", "Pendulum-v1", "--steps", "1e-3"], 1, "steps is 0.001: expected a whole number"),
        (["train", "--env", "Pendulum-v1", "--envs", "0"], 1, "envs is 0"),
        (["train", "--env", "Pendulum-v1", "--risk", "cvar"], 1, "expected cvar:LEVEL"),
        (["train", "--env", "Pendulum-v1", "--name", "a/b"], 1, "name is 'a/b'"),
        (["train", "--env", "Pendulum-v1", "--seed", "-1"], 1, "seed is -1"),
        (["train", "--env", "Pendulum-v1", "--env-kwargs", "{g:1}"], 1, "are not JSON"),
        (["train", "--env", "Pendulum-v1", "--env-kwargs", "[1]"], 1, "expected a JSON object"),
        (["train", "--env", "Pendulum-v1", "--env-kwargs", '{"wind": 1}'], 1, "could not be made with options"),
        (["train", "--env", "Pendulum-v1", "--run-dir", "file/run"], 1, "the run folder file/run cannot be written"),
        (["train", "--env", "Pendulum-v1", "--seed", "1", "--seeds", "0", "2"], 1, "--seed and --seeds are both given"),
        (["train", "--env", "Pendulum-v1", "--env=Ant-v4"], 1, "--env is given twice: expected it once"),
        (["train", "--env", "Pendulum-v1", "--risk", "cvar:1", "--recipe.risk", "CVaR:0.5"], 1, "risk is given twice"),
        (["train", "--env", "tank.py:Tank-v0"], 1, "A file is named without its ending, tank:Tank-v0"),
        (["evaluate", "nothing"], 1, "nothing holds no agent"),
        (["evaluate", "nothing", "--episodes", "0"], 1, "episodes is 0: expected at least 1"),
        (["evaluate", "nothing", "--seed", "-1"], 1, "seed is -1"),
    ],
)
def test_bad_input_is_refused_with_a_reason_and_a_code(command, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    found, said = command(*arguments)
    assert found == code
    assert message in " ".join(said.split())
    assert everything(tmp_path).keys() == {"file"}


def test_a_name_that_does_not_exist_leaves_no_folder_behind(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert command("train", "--env", "Hoper-v4")[0] == 1
    assert list(tmp_path.iterdir()) == []


def test_an_error_is_one_line_without_a_traceback():
    run = pacer("train", "pacer-n", "--env", "Pendulum-v1")
    assert run.returncode == 1
    assert run.stdout == ""
    assert run.stderr.startswith("pacer: unknown recipe 'pacer-n'")
    assert len(run.stderr.splitlines()) == 1


def test_the_command_line_and_python_ask_for_the_same():
    line = ["sac", "--env", "Hopper-v4", "--size", "paper", "--steps", "1.2e2", "--seed", "3", "--envs", "2"]
    values = ["--recipe.weight.initial", "0.5", "--schedule.warm-up", "1000", "--utility", "power:2"]
    config, chosen = parse([*line, *values, "--env-kwargs", '{"healthy_reward": 2}', "--env-workers", "2", "--quiet"])
    assert config == resolve(
        "Hopper-v4",
        "sac",
        size="paper",
        steps=120,
        seed=3,
        envs=2,
        utility="power:2",
        env_kwargs={"healthy_reward": 2},
        overrides={"recipe.weight.initial": 0.5, "schedule.warm_up": 1_000},
    )
    assert (config.steps, config.recipe.batch, config.schedule.warm_up) == (150, 400, 1_000)
    assert (chosen.env_workers, chosen.quiet, chosen.run_dir) == (2, True, None)


def test_pieces_are_chosen_by_name_and_their_fields_are_options():
    pieces = [
        "--recipe.weight=Fixed:0.1",
        "--recipe.critic.gate-norm",
        "LayerNorm",
        "--recipe.actor-optimiser",
        "AdamW",
    ]
    fields = ["--recipe.actor-optimiser.learning-rate", "1e-3"]
    config, _ = parse(["pacer-m", "--env", "Hopper-v4", *fields, *pieces])
    assert config.recipe.weight == Fixed(0.1)
    assert config.recipe.critic.gate_norm == LayerNorm()
    assert config.recipe.actor_optimiser == AdamW(1e-3)
    with pytest.raises(PacerError, match=r"unknown weight 'Fxied'\. Did you mean Fixed"):
        parse(["--env", "Hopper-v4", "--recipe.weight", "Fxied"])


def test_help_names_the_pieces_that_a_recipe_can_be_made_of(capsys):
    with pytest.raises(SystemExit):
        parse(["--help"])
    said = capsys.readouterr().out
    assert "--recipe.noise: White, Held, Autoregressive, Pink" in said
    named = {piece for line in said.splitlines() if ": " in line for piece in line.split(": ", 1)[1].split(", ")}
    for _, recipe in RECIPES.values():
        parts = (getattr(recipe, field.name) for field in fields(recipe))
        assert {type(part).__name__ for part in parts if isinstance(part, Piece)} - {"Averaging"} <= named


def test_a_sweep_does_not_land_in_one_folder():
    sweep = [[], ["--recipe.batch", "64"], ["--recipe.batch", "128"], ["--schedule.block", "25"], ["--seed", "1"]]
    folders = [default_folder(parse(["--env", "Pendulum-v1", *words])[0]) for words in sweep]
    assert len(set(folders)) == len(sweep)
    assert folders[1] == Path("runs/Pendulum-v1/pacer-batch_64/seed0")


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    execute(parse(SMALL)[0], folder, Drift)
    return results(folder)


def test_the_command_asks_for_the_run_of_these_tests():
    config = parse(SMALL)[0]
    assert config == replace(configuration(environment=ENV), label=config.label, source=identity_of(ENV))
    assert config.source


@pytest.mark.slow
def test_a_run_killed_then_stopped_then_started_gives_the_bytes_of_an_unbroken_one(unbroken, tmp_path):
    """Three processes: one killed without warning, one told to stop, one that finishes."""
    arguments = ("train", *SMALL, "--run-dir", tmp_path)
    killed = pacer(*arguments, PACER_TEST_SIGNAL="SIGKILL:87")
    assert killed.returncode == -signal.SIGKILL
    assert [p.name for p in (tmp_path / "checkpoint").iterdir()] == ["50"]

    stopped = pacer(*arguments, PACER_TEST_SIGNAL="SIGTERM:90")  # in the steps of this process
    assert stopped.returncode == 143
    assert "stopped by SIGTERM; the same command continues the run" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert 100 < int(newest(tmp_path).name) < STEPS

    finished = pacer(*arguments)
    assert finished.returncode == 0
    assert f"pacer evaluate {tmp_path} --env {ENV}" in finished.stdout
    assert results(tmp_path) == unbroken


def test_evaluate_judges_a_policy_and_imports_nothing_that_a_file_names(command, tmp_path):
    train(tmp_path, environment=ENV, steps=20)
    code, said = command("evaluate", tmp_path)
    assert code == 1
    assert f"was trained on {ENV}: name its environment with --env" in said
    code, said = command("evaluate", tmp_path, "--env", ENV, "--episodes", 2)
    assert code == 0
    returns, rest = (block.splitlines() for block in said.split("\n\n"))
    assert returns[0] == "returns of 2 episodes"
    assert returns[1].split()[:2] == ["mean", "deviation"]
    assert rest[1].split() == ["length", "discounted"]
    assert [row.split()[0] for row in (*returns[2:], *rest[2:])] == ["greedy", "sampled"] * 2
    assert command("evaluate", tmp_path / "best", "--env", ENV, "--episodes", 2)[0] == 0
    assert command("evaluate", tmp_path, "--env", ENV, "--episodes", 2)[1] == said
    assert command("evaluate", tmp_path, "--env", ENV, "--episodes", 2, "--seed", 1)[1] != said
    code, said = command("evaluate", tmp_path, "--env", "Pendulum-v1")
    assert code == 1
    assert "the agent was trained on 3 observations, 2 actions" in said
