"""`pacer.train` and `pacer.load`: the library's front door."""

import signal

import gymnasium
import jax
import numpy as np
import pytest
from gymnasium.wrappers import RescaleAction, TransformReward

import pacer
from pacer.observers import STOP, Progress
from tests.tiny_runs import RECIPE, SCHEDULE, once, send
from tests.worlds import Drift

pytestmark = pytest.mark.xdist_group("training")


def train(**changes):
    defaults = {"env": Drift, "recipe": RECIPE, "steps": 60, "schedule": SCHEDULE, "quiet": True}
    return pacer.train(**{**defaults, **changes})


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
    with pytest.raises(pacer.PacerError, match=r"holds no agent: expected a run folder, or an agent folder of one$"):
        pacer.load(tmp_path)
    train(run_dir="some/run", steps=10)
    with pytest.raises(pacer.PacerError, match=r"Runs below it: .*some/run$"):
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


@pytest.mark.parametrize(
    "env, message",
    [
        (Drift(), r"env is an environment: expected its id, or a function"),
        (gymnasium.make_vec("Pendulum-v1", 2), "env is an environment"),
        (None, "env is None: expected an environment's id, or a function"),
        (lambda: gymnasium.make_vec("Pendulum-v1", 2), "makes a vector of environments: make one, and .* envs=2"),
        (lambda: 3, "makes a int: expected an environment of Gymnasium"),
    ],
)
def test_what_is_no_function_that_makes_one_environment_is_refused(env, message):
    with pytest.raises(pacer.PacerError, match=message):
        train(env=env, run_dir="here")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"wrappers": ["gymnasium.wrappers:NormalizeReward"]}, "put them into the function"),
        (
            {"wrappers": "gymnasium.wrappers:FlattenObservation", "env": "Pendulum-v1"},
            r"expected a list of them, \['gym",
        ),
        ({"seed": 10**18}, "expected a whole number from 0 to 999999999999999999"),
        ({"env_workers": -1}, "env_workers is -1: expected a whole number, 0 or more"),
        ({"observers": print}, r"observers is <built-in.*: expected a list of functions of an event, \[observer\]"),
        ({"observers": [3]}, r"observers is \[3\]: expected a list of functions"),
        (
            {"recipe": "pacer", "risk": "cvar:0.1", "overrides": {"recipe.risk": "cvar:0.5"}},
            r"recipe.risk is given twice, by --risk \(risk= in Python\) and by an override",
        ),
    ],
)
def test_what_would_fail_late_or_not_at_all_is_refused_at_the_door(change, message):
    with pytest.raises(pacer.PacerError, match=message):
        train(**{"env": lambda: Drift(), "run_dir": "here", **change})


def test_a_function_needs_a_name_or_a_folder(tmp_path):
    with pytest.raises(pacer.PacerError, match=r"give the run a name=..., or a folder, run_dir=..."):
        train(env=lambda: Drift())
    assert list(tmp_path.iterdir()) == []


def windy(strength):
    return TransformReward(Drift(), lambda reward: reward - strength)


def test_another_function_does_not_get_the_agent_of_the_first():
    train(env=lambda: windy(1), run_dir="here", steps=10)
    with pytest.raises(pacer.PacerError, match=r"another configuration; it differs in source"):
        train(env=lambda: windy(2), run_dir="here", steps=10)


def test_a_finished_run_says_that_nothing_was_trained(capsys):
    train(env=lambda: windy(1), run_dir="here", steps=20)
    assert capsys.readouterr().err == ""
    train(env=lambda: windy(1), run_dir="here", steps=20)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("pacer: already finished, nothing trained: here holds the whole run of 20 steps")


def test_an_interrupt_is_a_keyboard_interrupt_and_leaves_a_usable_run(capfd):
    with pytest.raises(KeyboardInterrupt, match="the same call continues the run in here"):
        train(run_dir="here", observers=[once(30, lambda: send(signal.SIGINT))])
    assert "stopping: what was learned is saved; once more" in capfd.readouterr().err
    assert (pacer.Run("here").status, pacer.load("here").recipe) == ("stopped", RECIPE)
    with pytest.raises(SystemExit) as ended:
        train(run_dir="here", observers=[once(40, lambda: send(signal.SIGTERM))])
    assert ended.value.code == 143
    train(run_dir="here")
    assert pacer.Run("here").status == "finished"


def test_a_run_may_start_from_the_agent_of_another():
    first = train(run_dir="first")
    second = train(run_dir="second", recipe=None, start_from="first", steps=10)  # no update yet
    observations = np.random.default_rng(0).normal(size=(5, 3))
    assert second.recipe == first.recipe
    assert second.scaling.unit == first.scaling.unit != 1.0
    seen, expected = (agent.policy.network for agent in (second, first))
    assert all(map(np.array_equal, jax.tree.leaves(seen), jax.tree.leaves(expected)))
    actions = [agent.predict(observations, deterministic=True)[0] for agent in (second, first)]
    np.testing.assert_allclose(*actions, atol=1e-2)  # observations are still seen as they were
    config = pacer.Run("second").config
    assert (config.start_from, config.schedule.warm_up) == (first.digest(), SCHEDULE.warm_up)
    with pytest.raises(pacer.PacerError, match=r"it differs in .*start_from"):
        train(run_dir="second", start_from=second, steps=20)
    with pytest.raises(
        pacer.PacerError, match=r"the agent to start from was trained in Space\(observation=3, action=2\)"
    ):
        train(env="Pendulum-v1", start_from=first)


def test_observations_may_stay_as_they_are():
    agent = train(run_dir="raw", overrides={"recipe.normalise_observations": False})
    huge = np.full((1, 3), 1e6, np.float32)
    for known in (agent, pacer.load("raw")):
        assert known.scaling.normalise(huge, np).tolist() == huge.tolist()
    assert agent.scaling.unit != 1.0  # rewards have theirs all the same
    with pytest.raises(pacer.PacerError, match="its networks know observations in that form alone"):
        train(run_dir="other", start_from="raw", recipe=RECIPE)


def test_an_environment_with_other_bounds_is_refused_since_actions_would_be_others_in_it():
    agent = train(run_dir="here", steps=10)

    def wide():
        return RescaleAction(Drift(), -30.0, 50.0)

    with pytest.raises(pacer.PacerError, match=r"actions from -30 to 50, and the agent was trained on .*RescaleAction"):
        pacer.evaluate(agent, wide)
    same = pacer.evaluate(agent, lambda: RescaleAction(wide(), agent.low, agent.high), episodes=2)
    assert same.mean("greedy") == pytest.approx(pacer.evaluate(agent, Drift, episodes=2).mean("greedy"), rel=1e-4)


def test_networks_of_another_recipe_are_no_start():
    train(run_dir="here", steps=10)
    with pytest.raises(pacer.PacerError, match=r"the agent to start from .*: name no recipe, and the agent's is taken"):
        train(run_dir="other", recipe="sac", start_from="here")


def test_an_agent_is_judged_in_the_environment_that_is_named():
    agent = train(run_dir="here", steps=10)
    told = pacer.evaluate("here", Drift, episodes=3)
    assert [(e.mode, e.episode) for e in told.episodes] == [(m, n) for m in ("greedy", "sampled") for n in range(3)]
    assert pacer.evaluate(agent, Drift, episodes=3) == told
    assert told.returns("greedy").mean() == pytest.approx(told.mean("greedy"))
    with pytest.raises(pacer.PacerError, match=r"name its environment with --env \(env= in Python\)"):
        pacer.evaluate("here")
    with pytest.raises(pacer.PacerError, match="mode is 'gready': expected greedy or sampled"):
        told.mean("gready")
    with pytest.raises(pacer.PacerError, match="does not belong to a run"):
        pacer.evaluate(agent)
    with pytest.raises(pacer.PacerError, match="an agent alone is recorded into a file"):
        pacer.record(agent, Drift)
