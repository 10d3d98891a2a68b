"""A look inside a run: heat maps of known policies, and Monte-Carlo returns that are known exactly."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest

from pacer.agent import Policy
from pacer.errors import PacerError
from pacer.experiments.insight import BINS, examine, go_on, heatmaps, visit
from pacer.pieces.scaling import Scaling
from pacer.pieces.types import Space
from pacer.pieces.utilities import ActionCost, Combination, Power
from pacer.runs.arrays import load_arrays
from pacer.runs.reader import Run
from pacer.training.world import World
from tests.tiny_runs import RECIPE, train
from tests.worlds import Drift


class Steady(Drift):
    """Five steps that pay 3 each, whatever is done."""

    terminates = True

    def reset(self, *, seed=None, options=None):
        self.steps = 0
        return super().reset(seed=seed)

    def step(self, action):
        obs, *_ = super().step(action)
        return obs, 3.0, self.terminates and self.steps == 5, self.steps == 5, {}


class Timed(Steady):
    """The same, but it is only the time that ends it."""

    terminates = False


class Coin(Steady):
    """One step that pays 1 or -1, as the environment's own generator falls."""

    def step(self, action):
        obs, *_ = super().step(action)
        return obs, float(self.np_random.choice([-1, 1])), True, False, {}


class Spread:
    """An actor whose actions have known deviations around the middle."""

    def __init__(self, *deviations):
        self.deviations = np.float32(deviations)

    def noise(self, rng, space, shape):
        return rng.standard_normal((*shape, space.action), np.float32)

    def push(self, network, obs, noise, xp):
        assert obs.shape == (1, 3)
        return noise * self.deviations

    def greedy(self, network, obs, space, xp):
        return xp.zeros((len(obs), space.action))

    def policy(self):
        scaling = Scaling(np.zeros(3, np.float32), np.ones(3, np.float32), np.float32(1.0))
        return Policy(self, Space(3, len(self.deviations)), None, scaling)


def test_heat_maps_show_the_two_dimensions_that_are_spread_most():
    early, late = Spread(0.2, 0.1, 0.1), Spread(0.01, 0.05, 0.1)
    agents = {10: SimpleNamespace(policy=early.policy()), 100: SimpleNamespace(policy=late.policy())}
    states = np.zeros((2, 3), np.float32)
    found = heatmaps(agents, states, samples=25_000, seed=0)
    assert found["phases"].tolist() == [10, 100]
    assert found["dimensions"].tolist() == [1, 2]
    assert found["counts"].shape == (2, 2, BINS, BINS)
    assert (found["counts"].sum((2, 3)) == 25_000).all()
    centres = (np.arange(BINS) + 0.5) * 2 / BINS - 1
    along = found["counts"][1, 0].sum(1)  # over the second dimension
    assert np.sqrt(along @ centres**2 / along.sum()) == pytest.approx(0.05, rel=0.05)
    np.testing.assert_allclose(found["spread"], [[0.4 / 3] * 2, [0.16 / 3] * 2], rtol=0.02)


def test_one_dimension_is_shown_twice():
    found = heatmaps({10: SimpleNamespace(policy=Spread(0.3).policy())}, np.zeros((1, 3), np.float32), 1000, 0)
    assert found["dimensions"].tolist() == [0, 0]
    counts = found["counts"][0, 0]
    assert counts.sum() == np.trace(counts) > 990  # a few lie outside the box, as no real policy's do


@pytest.fixture(scope="module")
def steady(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steady")
    utility = Combination(Power(2.0), ActionCost(), 0.0)
    train(folder, make=Steady, steps=100, recipe=replace(RECIPE, utility=utility, reward_scale=0.5, return_units=False))
    return folder


def test_a_run_is_examined_in_its_folder(steady):
    assert examine(steady, states=2, samples=300, episodes=4, env=Steady) == steady / "insight"
    maps = load_arrays(steady / "insight" / "heatmaps.safetensors")
    assert maps["phases"].tolist() == Run(steady).snapshots() == [10, 50, 100]
    assert maps["states"].shape == (2, 3)
    assert (maps["counts"].sum((2, 3)) == 300).all()
    returns = load_arrays(steady / "insight" / "returns.safetensors")
    assert returns["value"].shape == returns["mass"].shape == (2, RECIPE.critic.levels)
    np.testing.assert_allclose(returns["mass"].sum(1), 1, rtol=1e-5)
    assert maps["samples"].shape == (2, 300, 2)
    np.testing.assert_allclose(maps["greedy"], Run(steady).agent(100).policy.greedy(maps["states"]), atol=1e-6)
    np.testing.assert_array_equal(returns["states"], maps["states"])
    for state, steps in enumerate((5, 4)):  # of five: the second state is a third of the way
        expected = 0.5 * 3**2 * sum(RECIPE.discount**t for t in range(steps))
        np.testing.assert_allclose(returns["monte_carlo"][state], [expected] * 4, rtol=1e-6)
    assert (returns["left"] == 0).all()
    assert (float(returns["scale"]), int(returns["soft"])) == (0.5, 0)  # its return is that of rewards alone
    agent = Run(steady).agent(100)
    box = agent.low + (returns["actions"] + 1) / 2 * (agent.high - agent.low)
    np.testing.assert_allclose(agent.returns(returns["states"], box).value, returns["value"], rtol=1e-4, atol=1e-5)


def test_heat_maps_are_of_phases_however_many_agents_are_kept(tmp_path):
    train(tmp_path, steps=40, snapshot_every=10)
    assert Run(tmp_path).snapshots() == [10, 20, 30, 40]
    examine(tmp_path, 1, 10, 1, env=Drift)
    assert load_arrays(tmp_path / "insight" / "heatmaps.safetensors")["phases"].tolist() == [10, 20, 40]


def test_a_run_that_goes_on_drops_what_was_found_before(tmp_path):
    train(tmp_path, steps=20)
    shutil.rmtree(tmp_path / "snapshots" / "20")  # as if the run were under way: the newest agent stands for it
    examine(tmp_path, 1, 10, 1, env=Drift)
    assert load_arrays(tmp_path / "insight" / "heatmaps.safetensors")["phases"].tolist() == [10, 20]
    train(tmp_path, steps=20)
    assert (tmp_path / "insight").exists()
    train(tmp_path, steps=30)
    assert not (tmp_path / "insight").exists()


def test_the_same_examination_finds_the_same(steady):
    found = [(examine(steady, 1, 50, 2, seed, Steady), load(steady))[1] for seed in (3, 3, 4)]
    assert found[0] == found[1]
    assert found[0] != found[2]


def load(folder):
    return [(folder / "insight" / f"{name}.safetensors").read_bytes() for name in ("heatmaps", "returns")]


def test_where_time_ends_an_episode_the_discount_that_is_left_is_told(steady):
    examine(steady, 1, 10, 2, env=Timed)
    left = load_arrays(steady / "insight" / "returns.safetensors")["left"]
    np.testing.assert_allclose(left, RECIPE.discount**5, rtol=1e-6)


def test_episodes_go_on_alike_and_have_their_own_chances(steady):
    """A coin that is thrown in the first step falls both ways, from one state and for one action."""
    world, policy = World(Coin, "Coin-v0"), Run(steady).agent().policy
    scene, *_ = visit(world, policy, 1, seed=0)
    firsts = [go_on(world, policy, scene, number, seed=0)[0] for number in range(20)]
    assert {step.reward for step in firsts} == {-1.0, 1.0}
    assert len({(step.obs.tobytes(), step.action.tobytes()) for step in firsts}) == 1


def test_states_are_reached_again(steady):
    world, policy = World(Steady, "Steady-v0"), Run(steady).agent().policy
    scenes = visit(world, policy, 4, seed=0)
    assert [len(scene.before) for scene in scenes] == [0, 1, 2, 3]
    for scene in scenes:
        steps = go_on(world, policy, scene, 0, seed=0)
        np.testing.assert_array_equal(steps[0].obs, scene.obs)
        assert len(steps) == 5 - scene.number


def test_where_a_state_is_not_reached_again_no_return_is_known(steady):
    class Moody(Steady):
        def reset(self, *, seed=None, options=None):
            return super().reset(seed=None)

    examine(steady, 2, 10, 3, env=Moody)
    returns = load_arrays(steady / "insight" / "returns.safetensors")
    assert np.isnan(returns["monte_carlo"]).all()
    assert (returns["left"] == 0).all()


def test_what_cannot_be_examined_is_said(steady, tmp_path):
    with pytest.raises(PacerError, match="not a run folder"):
        examine(tmp_path)
    with pytest.raises(PacerError, match="0 episodes: expected at least 1"):
        examine(steady, episodes=0)
    with pytest.raises(PacerError, match="the agent was trained on"):
        examine(steady, env=lambda: gymnasium.make("Pendulum-v1"))
    train(tmp_path, steps=20)
    (tmp_path / "snapshots").rename(tmp_path / "elsewhere")
    (tmp_path / "checkpoint").rename(tmp_path / "elsewhere" / "checkpoint")
    with pytest.raises(PacerError, match="holds no agent yet"):
        examine(tmp_path, env=Drift)
