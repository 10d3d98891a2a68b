"""`pacer.train` and `pacer.load`: the library's front door."""

import numpy as np
import pytest

import pacer
from pacer.observers import STOP, Progress
from tests.tiny_runs import RECIPE, SCHEDULE
from tests.worlds import Drift

pytestmark = pytest.mark.xdist_group("training")


def train(**changes):
    return pacer.train(**{"env": Drift, "recipe": RECIPE, "steps": 60, "schedule": SCHEDULE, **changes})


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_run_lives_in_its_default_folder_and_gives_its_agent(tmp_path):
    agent = train(name="mine", seed=3)
    (folder,) = (tmp_path / "runs").glob("*/*/seed3")
    assert folder.parent.name.startswith("mine-")
    again = pacer.load(folder)
    observation = np.zeros(3)
    assert np.array_equal(
        agent.predict(observation, deterministic=True)[0], again.predict(observation, deterministic=True)[0]
    )
    assert pacer.load(folder / "best").recipe == agent.recipe
    assert pacer.Run(folder).config.seed == 3


def test_a_folder_without_an_agent_is_refused(tmp_path):
    with pytest.raises(pacer.PacerError, match="holds no agent: expected a run folder"):
        pacer.load(tmp_path)


def test_options_reach_a_function_and_the_configuration(tmp_path):
    given = []

    def make(**options):
        given.append(options)
        return Drift()

    train(env=make, env_kwargs={"wind": 2}, run_dir="here", steps=10)
    assert given
    assert all(options == {"wind": 2} for options in given)
    assert pacer.Run("here").config.environment_options == {"wind": 2}


def test_an_observer_may_end_the_run_and_the_agent_comes_all_the_same():
    steps = []

    def watch(event):
        if isinstance(event, Progress):
            steps.append(event.step)
            return STOP if event.step >= 30 else None

    agent = train(run_dir="here", observers=[watch])
    assert steps == [10, 20, 30]
    assert agent.recipe == RECIPE
    assert pacer.Run("here").status == "stopped"


def test_overrides_and_several_environments():
    agent = train(run_dir="here", overrides={"recipe.discount": 0.5, "schedule.updates": 1}, envs=2)
    assert agent.recipe.discount == 0.5
    config = pacer.Run("here").config
    assert (config.envs, config.schedule.updates, config.schedule.block) == (2, 1, SCHEDULE.block)
