"""Problems with known answers, over all recipes. All have one shape, so each recipe compiles once.

Observation (x, y), one action. The data are uniform random actions; every problem is solved off-policy.
"""

from dataclasses import replace

import jax
import numpy as np
import pytest

from pacer import learner
from pacer.backup import SoftMaximum
from pacer.critics.categorical import Categorical
from pacer.encouragers.base import Nothing
from pacer.encouragers.weight import Fixed
from pacer.moments import Moments
from pacer.policy import Policy
from pacer.presets import Size
from pacer.recipes import RECIPES
from pacer.types import Space, Transition

SPACE = Space(observation=2, action=1)
SIZE = Size(hidden=(64, 64), levels=16, samples=16, batch=64, warm_up=0)
UPDATES, BLOCKS = 50, 16
FAST = {"actor_learning_rate": 3e-3, "critic_learning_rate": 3e-3}


def constant(obs, action):
    return np.ones(len(obs)), np.zeros(len(obs)), obs


def reward_from_observation(obs, action):
    return np.sign(obs[:, 0]), np.zeros(len(obs)), obs


def delayed_reward(obs, action):
    """x < 0 leads to the state (1, 0) without reward; x > 0 pays 1 and ends."""
    first = obs[:, 0] < 0
    return np.where(first, 0.0, 1.0), np.where(first, 0.5, 0.0), np.tile([1.0, 0.0], (len(obs), 1))


def reward_from_action(obs, action):
    return -8 * (action[:, 0] - 0.5) ** 2, np.zeros(len(obs)), obs


def reward_from_both(obs, action):
    return -8 * (action[:, 0] - 0.5 * np.sign(obs[:, 0])) ** 2, np.zeros(len(obs)), obs


def data(problem, seed):
    rng = np.random.default_rng(seed)
    count = UPDATES * SIZE.batch
    obs = np.stack([rng.choice([-1.0, 1.0], count), np.zeros(count)], 1)
    action = rng.uniform(-1, 1, (count, 1))
    reward, discount, next_obs = problem(obs, action)
    rows = Transition(obs, action, reward, next_obs, discount)
    return Transition(*(x.reshape(UPDATES, SIZE.batch, *x.shape[1:]).astype(np.float32) for x in rows))


def light(recipe):
    """The recipe with next to no encouragement: the answers below are those of the value alone."""
    recipe = replace(SIZE.apply(recipe), **FAST)
    if not isinstance(recipe.encourager, Nothing):
        recipe = replace(recipe, weight=Fixed(0.01))
    if isinstance(recipe.backup, SoftMaximum):
        recipe = replace(recipe, reward_scale=20.0)  # its temperature is the inverse
    if isinstance(recipe.critic, Categorical):
        recipe = replace(recipe, critic=replace(recipe.critic, lowest=-20.0, highest=5.0))
    return recipe


class Solved:
    """A recipe after learning on a problem."""

    def __init__(self, name, problem):
        recipe = light(RECIPES[name][1])
        self.recipe = recipe
        self.scaling = Moments.empty(2).scaling()
        state = learner.init(recipe, SPACE, jax.random.key(0))
        for block in range(BLOCKS):
            batches = data(problem, block)
            state, _ = learner.learn(recipe, state, batches, self.scaling, jax.random.key(block))
        self.networks = jax.tree.map(np.asarray, state.online)

    def value(self, x, action):
        returns = self.recipe.critic.returns(
            self.networks.critic,
            np.array([[x, 0.0]], np.float32),
            np.array([[action]], np.float32),
            jax.random.key(0),
        )
        return float((returns.mass * returns.value).sum(-1).mean()) / self.recipe.reward_scale

    def greedy(self, x):
        policy = Policy(self.recipe.actor, SPACE, self.networks.actor, self.scaling)
        return float(policy.greedy(np.array([x, 0.0], np.float32))[0])


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.xdist_group(n)) for n in RECIPES])
class TestProbes:
    def test_constant_reward(self, name):
        solved = Solved(name, constant)
        for x in (-1, 1):
            assert solved.value(x, 0.3) == pytest.approx(1.0, abs=0.1)

    def test_reward_from_observation(self, name):
        solved = Solved(name, reward_from_observation)
        for x in (-1, 1):
            assert solved.value(x, -0.3) == pytest.approx(x, abs=0.1)

    def test_delayed_reward_is_discounted(self, name):
        solved = Solved(name, delayed_reward)
        assert solved.value(1, 0.0) == pytest.approx(1.0, abs=0.1)
        assert solved.value(-1, 0.0) == pytest.approx(0.5, abs=0.1)

    def test_reward_from_action(self, name):
        solved = Solved(name, reward_from_action)
        assert solved.greedy(1) == pytest.approx(0.5, abs=0.15)
        assert solved.value(1, -0.5) == pytest.approx(-8, abs=1.0)

    def test_reward_from_both(self, name):
        solved = Solved(name, reward_from_both)
        for x in (-1, 1):
            assert solved.greedy(x) == pytest.approx(0.5 * x, abs=0.15)
