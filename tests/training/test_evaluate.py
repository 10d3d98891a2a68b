"""Judging: whole episodes whose starts depend on (seed, step, number) alone."""

import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.training import seeds
from pacer.training.evaluate import evaluate, play_episode
from pacer.training.world import World
from tests.worlds import Drift, Faulty, fail


class Standing:
    """Greedily stands still; sampled, draws its actions."""

    def greedy(self, obs):
        return np.zeros(2, np.float32)

    def sampled(self, obs, rng):
        return rng.uniform(-1, 1, 2).astype(np.float32)


def judge(world=None, policy=None, **changes):
    given = {"episodes": 3, "seed": 5, "step": 100, "discount": 0.9, **changes}
    return evaluate(world or World(Drift, "Own-v0"), policy or Standing(), **given)


def test_both_modes_meet_the_same_starts_and_nothing_before_matters():
    world = World(Drift, "Own-v0")
    starts = []
    reset = world.env.reset
    world.env.reset = lambda seed: starts.append(seed) or reset(seed=seed)
    first = judge(world)
    assert [(e.mode, e.episode) for e in first] == [(m, n) for m in ("greedy", "sampled") for n in range(3)]
    assert starts[:3] == starts[3:]
    assert len(set(starts)) == 3
    assert judge(world) == first
    assert judge() == first
    assert judge(episodes=2)[:2] == first[:2]
    assert judge(step=200) != first
    assert judge(seed=6) != first


def test_the_noise_of_an_episode_depends_on_seed_step_and_number():
    class Listening(Standing):
        def sampled(self, obs, rng):
            drawn.append(float(rng.random()))
            return np.zeros(2, np.float32)

    noises = []
    for given in ({}, {"step": 200}, {"seed": 6}):
        drawn = []
        episodes = judge(policy=Listening(), **given)[3:]
        firsts = np.cumsum([0, *(e.length for e in episodes[:-1])])
        noises.extend(drawn[i] for i in firsts)
    assert len(set(noises)) == 9


def test_returns_are_sums_of_raw_rewards_over_whole_episodes():
    first = judge()[0]
    env = Drift()
    env.reset(seed=seeds.integer(5, seeds.EVALUATION, 100, 0))
    total, length, ended = 0.0, 0, False
    while not ended:
        _, reward, terminated, truncated, _ = env.step((env.action_space.low + env.action_space.high) / 2)
        total, length, ended = total + reward, length + 1, terminated or truncated
    assert (first.total, first.length) == (pytest.approx(total), length)


def test_an_episode_that_was_judged_can_be_played_again():
    """As a film of it does: the same steps, whatever was played before."""
    world = World(Drift, "Own-v0")
    for judged in judge(world):
        steps = list(play_episode(world, Standing(), judged.mode, judged.episode, 5, 100))
        assert sum(step.reward for step in steps) == pytest.approx(judged.total)
        assert len(steps) == judged.length
        assert [step.ended for step in steps] == [False] * (judged.length - 1) + [True]


def test_an_episode_without_an_end_is_cut():
    world = World(Drift, "Own-v0")
    assert (world.limited, world.longest) == (False, 1_000)
    world.longest = 40
    step = world.env.step
    world.env.step = lambda action: (*step(action)[:2], False, False, {})
    assert {(e.length, e.cut) for e in judge(world)} == {(40, True)}
    assert not any(e.cut for e in judge())


def test_a_failure_says_which_episode_of_which_evaluation():
    with pytest.raises(PacerError, match="at step 1 of greedy evaluation episode 0, after 100 steps of training"):
        judge(World(lambda: Faulty(fail, step=1), "Own-v0"))
    with pytest.raises(PacerError, match="of greedy evaluation episode 0: RuntimeError"):
        judge(World(lambda: Faulty(fail, step=1), "Own-v0"), step=0)
