"""Collecting: every episode from its own seed, blocks that do not depend on how they are cut, exact restoring."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from pacer.config import Config
from pacer.errors import PacerError
from pacer.pieces import Exponential, Power, Utility
from pacer.recipes import RECIPES
from pacer.training import seeds
from pacer.training.collect import Collector
from pacer.training.replay import Replay
from pacer.training.state import Lanes
from pacer.training.world import World
from pacer.training.worlds import InTurn, make_worlds
from tests.worlds import Drift, Moody

STEPS, SEED = 120, 7


class Noting(Replay):
    """A replay that keeps a list of what it is told."""

    def __init__(self, lanes=1):
        super().__init__(World(Drift, "Own-v0").space, 400 * lanes, lanes, STEPS)
        self.steps = []

    def add(self, lane, row, step):
        self.steps.append(step)
        return super().add(lane, row, step)


def choose(lanes, lane, obs):
    """A policy that depends on what it sees, so that an error shows."""
    return np.tanh(obs[:2] + 0.3)


def collector(replay, env=Drift, seed=SEED, recipe=RECIPES["td3"][1]):
    config = Config("Own-v0", {}, "", recipe, seed, steps=1_000)
    return Collector(InTurn(make_worlds(env, "Own-v0", replay.lanes)), replay, config)


def collect(blocks, lanes=1, seed=SEED):
    """Steps, returns and where the lanes are after blocks of these lengths."""
    replay, state, returns, begin = Noting(lanes), Lanes.empty(lanes), [], 0
    source = collector(replay, seed=seed)
    for length in blocks:
        state, observations, _, ended = source.collect(state, range(begin, begin + length), choose)
        np.testing.assert_array_equal(observations, [step.obs for step in replay.steps[begin:]])
        returns += ended
        begin += length
    return replay, returns, state


def assert_same(some, others):
    for a, b in zip(some, others, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)


def starts(steps):
    """First observations of the episodes of one world."""
    return [steps[0].obs, *(after.obs for step, after in pairwise(steps) if step.ended)]


@pytest.mark.parametrize("lanes", [1, 3])
def test_episode_n_of_a_lane_starts_from_its_own_seed(lanes):
    steps = collect([lanes * STEPS], lanes)[0].steps
    for lane in range(lanes):
        index = (lane,) if lane else ()  # lane 0 has the episodes of a run with one environment
        found = starts([step for step in steps if step.world == lane])
        env = Drift()
        expected = [env.reset(seed=seeds.integer(SEED, seeds.EPISODE, n, *index))[0] for n in range(len(found))]
        assert len(found) > 5
        np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(steps[0].obs, collect([1], seed=8)[0].steps[0].obs)


@pytest.mark.parametrize("lanes", [1, 4, 7])
@pytest.mark.parametrize("blocks", [[60, 60], [1] * STEPS, [7] * 17 + [1], [2, 50, 3, 65]])
def test_how_steps_are_cut_into_blocks_changes_nothing(blocks, lanes):
    whole, returns, end = collect([STEPS], lanes)
    parts, cut_returns, cut_end = collect(blocks, lanes)
    assert_same(whole.steps, parts.steps)
    assert_same([end], [cut_end])
    assert [step.world for step in whole.steps] == [t % lanes for t in range(STEPS)]
    assert returns == cut_returns


@pytest.mark.parametrize("lanes", [1, 3])
def test_steps_connect_and_returns_add_up(lanes):
    replay, returns, end = collect([lanes * STEPS], lanes)
    totals = []
    for lane in range(lanes):
        steps = [step for step in replay.steps if step.world == lane]
        for step, after in pairwise(steps):
            assert step.ended or np.array_equal(step.next_obs, after.obs)
        ended = [number for number, step in enumerate(steps) if step.ended]
        totals += [part.sum() for part in np.split([step.reward for step in steps], np.add(ended, 1))[:-1]]
        assert (end.steps[lane], end.episode[lane]) == (STEPS - 1 - ended[-1], len(ended))
        assert end.rows[lane] == STEPS + len(ended)
        assert end.total[lane] == pytest.approx(sum(step.reward for step in steps[ended[-1] + 1 :]))
    assert {(s.terminated, s.truncated) for s in replay.steps} >= {(False, False), (True, False), (False, True)}
    np.testing.assert_allclose(sorted(returns), sorted(totals))


def test_termination_ends_the_future_and_truncation_does_not():
    """The last observation is the true one, not that of the next episode."""
    replay, _, end = collect([STEPS])
    for step in replay.steps:
        assert step.terminated == (np.abs(step.next_obs[:2]).max() > 1.0)
    batch = replay.sample(end.rows, np.random.default_rng(0), 1, 5_000, 0.99)
    gone = np.abs(batch.next_obs[0, :, :2]).max(1) > 1.0
    np.testing.assert_array_equal(batch.discount[0], np.where(gone, 0.0, np.float32(0.99)))
    used_up = batch.next_obs[0, :, 2] == 0.0  # the time ran out: no reset observation has this
    assert (used_up & ~gone).any()
    assert (batch.discount[0][used_up & ~gone] == np.float32(0.99)).all()


@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("stop", range(1, 40, 3))
def test_restoring_equals_never_having_stopped(stop, lanes):
    whole, returns, _ = collect([stop, 50], lanes)
    replay, before, state = collect([stop], lanes)
    fresh = collector(replay)
    state, problems = fresh.restore(state)
    assert problems == []
    *_, after = fresh.collect(state, range(stop, stop + 50), choose)
    assert_same(replay.steps, whole.steps)
    assert before + after == returns


def test_a_block_that_fails_leaves_what_was_there():
    """The lanes as they were still say how to go on, though rows beyond them were written."""
    whole, _, _ = collect([20, 40])
    replay, _, state = collect([20])
    calls = []

    def failing(lanes, lane, obs):
        calls.append(1)
        if len(calls) > 30:
            raise RuntimeError
        return choose(lanes, lane, obs)

    broken = collector(replay)
    broken.restore(state)
    with pytest.raises(RuntimeError):
        broken.collect(state, range(20, 60), failing)
    del replay.steps[20:]
    fresh = collector(replay)
    fresh.collect(fresh.restore(state)[0], range(20, 60), choose)
    assert_same(replay.steps, whole.steps)


def stopped_within_an_episode():
    replay, _, state = collect([20])
    assert state.steps[0] > 1
    return replay, state


def test_a_world_that_does_not_repeat_itself_is_noticed_and_a_new_episode_begins():
    replay, state = stopped_within_an_episode()
    fresh = collector(replay, Moody)
    after, problems = fresh.restore(state)
    assert problems == ["Own-v0 is not reproducible"]
    assert (after.episode, after.steps, after.rows) == (state.episode + 1, 0, state.rows + 1)
    resets = Moody.resets
    fresh.collect(after, range(20, 21), choose)
    assert Moody.resets == resets + 1


def test_an_episode_longer_than_the_replay_is_given_up():
    replay, state = stopped_within_an_episode()
    replay.capacity = 1
    after, problems = collector(replay).restore(state)
    assert problems == [f"the current episode of {state.steps[0]} steps is longer than the replay"]
    assert not after.going_on[0]


class EndsEarly(Drift):
    def step(self, action):
        obs, reward, _, truncated, info = super().step(action)
        return obs, reward, self.steps == self.end, truncated, info


@pytest.mark.parametrize("early", [0, 1])
def test_a_world_that_ends_where_it_went_on_is_noticed(early):
    replay, state = stopped_within_an_episode()
    env = EndsEarly()
    env.end = state.steps[0] - early
    assert collector(replay, lambda: env).restore(state)[1] == ["Own-v0 is not reproducible"]


def test_what_is_stored_is_what_was_done():
    """Actions are float32 before the environment sees them, so that replaying them repeats them."""
    done = []
    env = Drift()
    step = env.step
    env.step = lambda action: done.append(action) or step(action)
    replay = Noting()
    double = collector(replay, lambda: env)
    double.collect(
        Lanes.empty(1), range(30), lambda lanes, lane, obs: np.float64([0.1, 0.7]) * obs[0].astype(np.float64)
    )
    world = World(Drift, "Own-v0")
    stored = world.low + (np.array([s.action for s in replay.steps]) + 1) * 0.5 * (world.high - world.low)
    np.testing.assert_array_equal(done, np.clip(stored, world.low, world.high))


class LastStep(Utility):
    """Pays 1 at the step that ends an episode for good."""

    def shape(self, batch):
        return 1.0 * (batch.discount == 0)


def test_utilities_see_where_an_episode_ends_for_good():
    recipe = replace(RECIPES["sac"][1], return_units=True, utility=LastStep())
    replay = Noting(2)
    found = collector(replay, recipe=recipe).collect(Lanes.empty(2), range(90), choose).rewards
    ended = [step.terminated for step in replay.steps]
    assert any(ended)
    np.testing.assert_array_equal(found, ended)


@pytest.mark.parametrize("return_units", [True, False])
def test_a_utility_that_is_not_finite_is_refused_by_its_reward(return_units):
    recipe = replace(RECIPES["sac"][1], return_units=return_units, utility=Exponential(1e6))
    with pytest.raises(PacerError, match=r"Exponential\(aversion=1000000\.0\) of the reward .* is -inf: choose"):
        collector(Noting(2), recipe=recipe).collect(Lanes.empty(2), range(90), choose)


def test_what_rewards_are_measured_by_are_their_utilities():
    recipe = replace(RECIPES["sac"][1], return_units=True, utility=Power(2.0))
    replay = Noting(2)
    found = collector(replay, recipe=recipe).collect(Lanes.empty(2), range(90), choose).rewards
    rewards = np.array([step.reward for step in replay.steps])
    assert (rewards < 0).any()
    np.testing.assert_allclose(found, np.sign(rewards) * rewards**2, rtol=1e-5)
