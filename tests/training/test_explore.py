"""Exploring: its noise depends on seed, episode, lane and step alone, and random actions are uniform."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats

from pacer.config import Config
from pacer.pieces import Autoregressive, Exploration, Held, Pink, Space, White
from pacer.recipes import RECIPES
from pacer.training import seeds
from pacer.training.explore import Explorer, NoiseInTime, uniform
from pacer.training.state import Lanes, initial_state


def noise_in_time(noise, seed=3):
    recipe = replace(RECIPES["pacer-m"][1], noise=noise)
    return NoiseInTime(Config("Own-v0", {}, "", recipe, seed, steps=1_000), seeds.ACTING, 2)


def at(source, episode, lane, step):
    lanes = Lanes.empty(2)
    lanes.episode[lane], lanes.steps[lane] = episode, step
    return source.at(lanes, lane)


@pytest.mark.parametrize("noise", [White(), Held(), Autoregressive(), Pink(30)])
def test_noise_is_a_function_of_episode_lane_and_step(noise):
    """Whoever asks in order, and whoever begins in the middle as a resumed run does, hears the same."""
    source = noise_in_time(noise)
    heard = {(e, lane, t): at(source, e, lane, t) for e in range(3) for t in range(40) for lane in range(2)}
    for where in [(0, 0, 0), (2, 1, 17), (1, 0, 39), (2, 0, 1), (1, 1, 5)]:
        np.testing.assert_array_equal(at(noise_in_time(noise), *where), heard[where])
    first = [heard[0, 0, 0], heard[1, 0, 0], heard[0, 1, 0], at(noise_in_time(noise, seed=4), 0, 0, 0)]
    assert len({tuple(noise) for noise in first}) == 4


@dataclass(frozen=True)
class Unbounded(Exploration):
    def perturb(self, action, rng):
        return action + 5 * rng.choice([-1, 1], action.shape)


def test_what_exploration_adds_stays_in_the_box():
    """The environment gets what lies in it: the replay must hold the same."""
    config = Config("Own-v0", {}, "", replace(RECIPES["sac"][1], exploration=Unbounded()), seed=3, steps=1_000)
    space = Space(2, 3)
    state = initial_state(config, space)._replace(step=np.array(config.schedule.warm_up))
    action = Explorer(config, space).choose(state)(state.lanes, 0, np.zeros(2, np.float32))
    assert set(np.abs(action)) == {1.0}


def test_random_actions_are_uniform_over_the_box():
    actions = uniform(np.random.default_rng(0).standard_normal(5_000, np.float32))
    assert actions.dtype == np.float32
    assert stats.kstest(actions, "uniform", args=(-1, 2)).pvalue > 0.01
