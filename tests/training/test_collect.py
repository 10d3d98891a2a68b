"""Collecting: every episode from its own seed, blocks that do not depend on how they are cut, exact restoring."""

import numpy as np
import pytest

from pacer.training import seeds
from pacer.training.collect import Collector, Position
from pacer.training.replay import GOES_ON, TERMINATED, TRUNCATED, Replay
from pacer.training.world import World
from tests.worlds import Drift, Moody

STEPS = 120


def choose(obs):
    """A policy that depends on what it sees, so that an error shows."""
    return np.tanh(obs[:2] + 0.3)


def collector(env=Drift, seed=7):
    return Collector(World(env, "Own-v0"), seed)


def joined(blocks):
    return [np.concatenate(parts) for parts in zip(*((*b.transitions, b.kinds) for b in blocks), strict=True)]


def collect(blocks, position=Position(), source=None):  # noqa: B008
    source = source or collector()
    result = []
    for steps in blocks:
        block, position = source.run(position, steps, choose)
        result.append(block)
    return result, position


def starts(block):
    """Observations after which a new episode began."""
    ended = np.flatnonzero(block.kinds != GOES_ON)
    return block.transitions.obs[[0, *(ended[ended + 1 < len(block.kinds)] + 1)]]


def test_episode_n_starts_from_its_own_seed():
    (block,), position = collect([STEPS])
    env = Drift()
    expected = [env.reset(seed=seeds.integer(7, seeds.EPISODE, n))[0] for n in range(position.episode + 1)]
    found = starts(block)
    assert len(found) > 5
    np.testing.assert_array_equal(found, expected[: len(found)])
    assert not np.array_equal(found[0], starts(collect([STEPS], source=collector(seed=8))[0][0])[0])


@pytest.mark.parametrize("blocks", [[60, 60], [1] * STEPS, [7] * 17 + [1]])
def test_how_steps_are_cut_into_blocks_changes_nothing(blocks):
    whole, end = collect([STEPS])
    parts, cut_end = collect(blocks)
    for a, b in zip(joined(whole), joined(parts), strict=True):
        np.testing.assert_array_equal(a, b)
    assert cut_end == end
    assert [r for block in parts for r in block.returns] == whole[0].returns


def test_steps_connect_and_returns_add_up():
    (block,), position = collect([STEPS])
    transitions, kinds = block.transitions, block.kinds
    assert {GOES_ON, TERMINATED, TRUNCATED} == set(kinds.tolist())
    going_on = np.flatnonzero(kinds[:-1] == GOES_ON)
    np.testing.assert_array_equal(transitions.next_obs[going_on], transitions.obs[going_on + 1])
    ended = np.flatnonzero(kinds != GOES_ON)
    totals = [part.sum() for part in np.split(transitions.reward, ended + 1)]
    np.testing.assert_allclose([*block.returns, position.total], totals, rtol=1e-5)
    assert position.steps == STEPS - 1 - ended[-1]
    assert position.episode == len(ended)


def test_termination_ends_the_future_and_truncation_does_not():
    """The last observation is the true one, not that of the next episode."""
    (block,), _ = collect([STEPS])
    far = np.abs(block.transitions.next_obs[:, :2]).max(1) > 1.0
    np.testing.assert_array_equal(block.kinds == TERMINATED, far)
    replay = Replay(World(Drift, "Own-v0").space, 500)
    replay.append(block.transitions, block.kinds)
    batch = replay.sample(np.random.default_rng(0), 1, 5_000, 0.99)
    gone = np.abs(batch.next_obs[0, :, :2]).max(1) > 1.0
    np.testing.assert_array_equal(batch.discount[0], np.where(gone, 0.0, np.float32(0.99)))
    used_up = batch.next_obs[0, :, 2] == 0.0  # the time ran out: no reset observation has this
    assert (used_up & ~gone).any()
    assert (batch.discount[0][used_up & ~gone] == np.float32(0.99)).all()


@pytest.mark.parametrize("stop", range(1, 40, 3))
def test_restoring_equals_never_having_stopped(stop):
    whole, _ = collect([stop, 50])
    replay = Replay(World(Drift, "Own-v0").space, 100)
    (first,), position = collect([stop])
    replay.append(first.transitions, first.kinds)
    fresh = collector()
    if position.steps:
        assert fresh.restore(position, *replay.tail(position.steps))
    rest, _ = collect([50], position, fresh)
    for a, b in zip(joined([whole[1]]), joined(rest), strict=True):
        np.testing.assert_array_equal(a, b)
    assert rest[0].returns == whole[1].returns


def stopped_within_an_episode():
    (block,), position = collect([20])
    assert position.steps > 1
    replay = Replay(World(Drift, "Own-v0").space, 100)
    replay.append(block.transitions, block.kinds)
    return position, *replay.tail(position.steps)


def test_a_world_that_does_not_repeat_itself_is_noticed_and_a_new_episode_begins():
    position, observations, actions = stopped_within_an_episode()
    fresh = collector(Moody)
    assert not fresh.restore(position, observations, actions)
    resets = Moody.resets
    fresh.run(Position(position.episode + 1), 1, choose)
    assert Moody.resets == resets + 1


class EndsEarly(Drift):
    def step(self, action):
        obs, reward, _, truncated, info = super().step(action)
        return obs, reward, self.steps == self.end, truncated, info


@pytest.mark.parametrize("early", [0, 1])
def test_a_world_that_ends_where_it_went_on_is_noticed(early):
    position, observations, actions = stopped_within_an_episode()
    env = EndsEarly()
    env.end = position.steps - early
    assert not collector(lambda: env).restore(position, observations, actions)


def test_what_is_stored_is_what_was_done():
    """Actions are float32 before the environment sees them, so that replaying them repeats them."""
    done = []
    env = Drift()
    step = env.step
    env.step = lambda action: done.append(action) or step(action)
    source = collector(lambda: env)
    block, _ = source.run(Position(), 30, lambda obs: np.float64([0.1, 0.7]) * obs[0].astype(np.float64))
    world = World(Drift, "Own-v0")
    stored = world.low + (block.transitions.action + 1) * 0.5 * (world.high - world.low)
    np.testing.assert_array_equal(done, np.clip(stored, world.low, world.high))
