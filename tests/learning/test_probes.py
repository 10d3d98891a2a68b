"""Problems with known answers, in one observation, so that each recipe compiles and learns once.

The observation is a sign x and which of five problems it belongs to; one action. The data are uniform random actions.
"""

from dataclasses import replace

import jax
import numpy as np
import pytest

from pacer import learner
from pacer.agent import Policy
from pacer.pieces import (
    MLP,
    Adam,
    BatchNorm,
    Categorical,
    Fixed,
    Nothing,
    Residual,
    Scheduled,
    SoftMaximum,
    Space,
    Transition,
)
from pacer.presets import Size
from pacer.recipes import PACER_M, RECIPES, SAC
from pacer.training.statistics import Moments

CONSTANT, FROM_OBSERVATION, DELAYED, FROM_ACTION, FROM_BOTH = range(5)
SPACE = Space(observation=6, action=1)
SIZE = Size(hidden=(64, 64), levels=16, samples=16, batch=96, warm_up=0)
UPDATES, BLOCKS = 50, 20
FAST = {"actor_optimiser": Adam(3e-3), "critic_optimiser": Adam(3e-3)}
QUICK = ("pacer", "sac")  # the others are with the slow ones


def observe(x, problem):
    return np.concatenate([x[:, None], np.eye(5)[problem]], axis=1)


def data(seed):
    """Transitions of all problems, mixed."""
    rng = np.random.default_rng(seed)
    count = UPDATES * SIZE.batch
    x, problem = rng.choice([-1.0, 1.0], count), rng.integers(0, 5, count)
    action = rng.uniform(-1, 1, count)
    # Delayed: x < 0 leads to x > 0 without reward, and x > 0 pays 1 and ends.
    early = (problem == DELAYED) & (x < 0)
    rewards = [np.ones(count), x, np.where(early, 0, 1), -8 * (action - 0.5) ** 2, -8 * (action - 0.5 * x) ** 2]
    reward = np.choose(problem, rewards)
    next_obs = observe(np.ones(count), problem)
    rows = Transition(observe(x, problem), action[:, None], reward, next_obs, np.where(early, 0.5, 0.0))
    return Transition(*(r.reshape(UPDATES, SIZE.batch, *r.shape[1:]).astype(np.float32) for r in rows))


def light(recipe):
    """The recipe with next to no encouragement: the answers are those of the value."""
    recipe = replace(SIZE.apply(recipe), policy_delay=1, **FAST)
    if not isinstance(recipe.encourager, Nothing):
        recipe = replace(recipe, weight=Fixed(0.01))
    if isinstance(recipe.backup, SoftMaximum):
        recipe = replace(recipe, reward_scale=20.0)  # its temperature is the inverse
    if isinstance(recipe.critic, Categorical):
        recipe = replace(recipe, critic=replace(recipe.critic, lowest=-20.0, highest=5.0))
    return recipe


class Solved:
    """A recipe after learning."""

    def __init__(self, recipe, blocks=BLOCKS):
        self.recipe = recipe
        self.scaling = Moments.empty(SPACE.observation).scaling()
        state = learner.init(self.recipe, SPACE, jax.random.key(0))
        for block in range(blocks):
            state, *_ = learner.learn(self.recipe, state, data(block), self.scaling, jax.random.key(block))
        self.networks = jax.tree.map(np.asarray, state.online)

    def value(self, problem, x, action):
        obs = observe(np.array([float(x)]), [problem]).astype(np.float32)
        returns = self.recipe.critic.returns(
            self.networks.critic, obs, np.array([[action]], np.float32), jax.random.key(0)
        )
        return float(returns.mean().mean()) / self.recipe.reward_scale

    def greedy(self, problem, x):
        policy = Policy(self.recipe.actor, SPACE, self.networks.actor, self.scaling)
        return float(policy.greedy(observe(np.array([float(x)]), [problem])[0].astype(np.float32))[0])


def check(solved):
    for x in (-1, 1):
        assert solved.value(CONSTANT, x, 0.3) == pytest.approx(1.0, abs=0.15)
        assert solved.value(FROM_OBSERVATION, x, -0.3) == pytest.approx(x, abs=0.15)
        assert solved.value(DELAYED, x, 0.0) == pytest.approx(1.0 if x > 0 else 0.5, abs=0.15)
        assert solved.value(FROM_ACTION, x, -0.5) == pytest.approx(-8, abs=0.5)
        assert solved.greedy(FROM_ACTION, x) == pytest.approx(0.5, abs=0.12)
        assert solved.greedy(FROM_BOTH, x) == pytest.approx(0.5 * x, abs=0.12)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in RECIPES]
)
def test_probes(name):
    check(Solved(light(RECIPES[name][1])))


@pytest.mark.parametrize(
    "recipe, body",
    [
        pytest.param(PACER_M, MLP((64, 64), BatchNorm()), id="pacer-m, batch norm", marks=pytest.mark.slow),
        pytest.param(SAC, Residual(64), id="sac, residual", marks=pytest.mark.slow),
        pytest.param(SAC, MLP((64, 64), BatchNorm()), id="sac, batch norm", marks=pytest.mark.slow),
        pytest.param(PACER_M, Residual(64), id="pacer-m, residual", marks=pytest.mark.slow),
    ],
)
def test_other_bodies_in_both_networks_learn(recipe, body):
    """With smaller steps at the end: the noise of a batch's statistics is noise of the values, too."""
    blocks = 30
    settled = Scheduled(Adam(3e-3), updates=blocks * UPDATES, final=0.02)
    actor, critic = (replace(part, body=body) for part in (recipe.actor, recipe.critic))
    recipe = replace(light(recipe), actor=actor, critic=critic, actor_optimiser=settled, critic_optimiser=settled)
    check(Solved(recipe, blocks))
