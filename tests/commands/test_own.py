"""Environments, wrappers, recipes and pieces of one's own, from the command line, in the folder that holds them."""

import sys

import gymnasium
import pytest

from pacer.envs.make import maker
from pacer.errors import PacerError
from pacer.imports import IMPORTED, fetched, imported
from pacer.pieces.recipe import Recipe
from pacer.runs.reader import Run

OWN = """
import gymnasium
import numpy as np
from dataclasses import dataclass, replace
from pacer.pieces import MLP, Gaussian, Quantile, Risk
from pacer.recipes import DSAC

@dataclass(frozen=True)
class Shy(Risk):
    def value(self, returns):
        return returns.mean()

SMALL = MLP((8, 8))
FAST = replace(DSAC, batch=16, risk=Shy(), actor=Gaussian(SMALL), critic=Quantile(SMALL, levels=4))

class Nested(gymnasium.Env):
    observation_space = gymnasium.spaces.Dict(position=gymnasium.spaces.Box(-1, 1, (2,)))
    action_space = gymnasium.spaces.Box(-1, 1, (1,))
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}
    def step(self, action):
        return {"position": np.zeros(2, np.float32)}, 0.0, False, False, {}

class Calm(gymnasium.Wrapper):
    def step(self, action):
        return self.env.step(action / 2)

gymnasium.register("Nested-v0", Nested, max_episode_steps=5)
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A module in the current folder, forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # which an edit within a second would not renew
    (tmp_path / "own_things.py").write_text(OWN)
    yield tmp_path / "own_things.py"
    sys.modules.pop("own_things", None)
    IMPORTED.clear()
    gymnasium.registry.pop("Nested-v0", None)


FLAT = "gymnasium.wrappers:FlattenObservation"
TRAIN = ("train", "own_things.py:FAST", "--env", "own_things:Nested-v0", "--wrapper", FLAT, "own_things:Calm")


def test_a_module_of_the_current_folder_has_environments_wrappers_recipes_and_pieces(command, own):
    code, said = command(*TRAIN, "--steps", 50, "--run-dir", "run")
    assert code == 0, said
    named = f"--env own_things:Nested-v0 --wrapper {FLAT} own_things:Calm"
    assert f"pacer evaluate run {named} --import own_things.py " in said
    config = Run("run").config
    assert (config.label, config.recipe.batch) == ("FAST-in_FlattenObservationxCalm", 16)
    assert config.wrappers == (FLAT, "own_things:Calm")

    code, said = command(*TRAIN, "--import", "own_things", "--steps", 100, "--run-dir", "run")
    assert code == 0, said
    assert f"pacer evaluate run {named} --import own_things " in said
    code, said = command("evaluate", "run", "--import", "own_things", *named.split(), "--episodes", 1)
    assert code == 0, said
    assert "returns of 1 episodes" in said
    code, said = command("evaluate", "run", "--env", "own_things:Nested-v0", "--import=own_things.py")
    assert code == 1
    assert "was trained in own_things:Calm: name its wrappers with --wrapper" in said


EDITS = [("zeros(2", "ones(2"), ("action / 2", "action / 3"), ("max_episode_steps=5", "max_episode_steps=6")]


def test_an_edited_environment_or_wrapper_is_another_run(command, own):
    again = (*TRAIN, "--steps", 10, "--run-dir", "run")
    assert command(*again)[0] == 0
    code, said = command(*again)
    assert (code, "already finished" in said) == (0, True)
    for edit in EDITS:
        sys.modules.pop("own_things")
        gymnasium.registry.pop("Nested-v0")
        own.write_text(OWN.replace(*edit))
        code, said = command(*again)
        assert code == 1
        assert "it differs in source" in said
        assert "(the environment's code was edited since)" in " ".join(said.split())


def test_an_environment_that_cannot_be_filmed_says_what_it_lacks(own):
    sys.path.insert(0, "")
    filmed = maker("own_things:Nested-v0", {}, render_mode="rgb_array")
    with pytest.raises(PacerError, match=r"cannot be filmed: what makes it has to take render_mode='rgb_array'"):
        filmed()


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--env", "own_things:Nestd-v0"], "Did you mean own_things:Nested-v0"),
        (["--env", "own_things:Nested-v0"], "FlattenObservation turns dictionaries into vectors"),
        (["--env", "Pendulum-v1", "--wrapper", "own_things:Clam"], "FlattenObservation. Did you mean Calm?"),
        (["--env", "Pendulum-v1", "--wrapper", "nothing:Calm"], "cannot be imported: No module named 'nothing'"),
        (["--env", "Pendulum-v1", "--wrapper", FLAT, "builtins:len"], "builtins:len could not be put around Pendulum"),
        (["--env", "Pendulum-v1", "--wrapper", "builtins:type"], "builtins:type makes a type: expected an environment"),
        (["--env", "Pendulum-v1", "--import", "nothing"], "'nothing' cannot be imported (No module named 'nothing')"),
        (["--env", "Pendulum-v1", "--import"], "--import: expected a module, or the path of a .py file"),
        (["--env", "Pendulum-v1", "--start-from", "nothing"], "nothing holds no agent"),
    ],
)
def test_what_is_not_there_is_named(command, own, arguments, message):
    code, said = command("train", *arguments)
    assert code == 1
    assert message in " ".join(said.split())


def test_a_file_is_imported_once_and_its_recipes_are_known(own):
    recipe = fetched("own_things.py:FAST", Recipe)
    assert fetched(f"{own}:FAST", Recipe) is recipe
    with pytest.raises(PacerError, match=r"defines no Recipe 'FATS'. Did you mean FAST"):
        fetched("own_things.py:FATS", Recipe)
    with pytest.raises(PacerError, match=r"there is no file nothing\.py"):
        imported("nothing.py")
    (own.parent / "broken.py").write_text("1 / 0")
    with pytest.raises(PacerError, match=r"broken\.py could not be run: ZeroDivisionError"):
        imported("broken.py")
