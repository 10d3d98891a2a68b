"""A bandit with a safe arm and a risky one: who is averse plays the first, who is not the second.

The action divides a stake between the arms: at -1 all is on the safe one, at 1 all on the risky one.
The safe arm pays 0.3; the risky one 1.4, but -2 one time in four: mean 0.55.
"""

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from pacer import learner
from pacer.agent import Policy
from pacer.pieces import Adam, CVaR, MeanDeviation, Neutral, Risk, Space, Transition, Wang
from pacer.presets import Size
from pacer.recipes import PACER_M
from pacer.training.statistics import Moments

pytestmark = pytest.mark.xdist_group("risky bandit")  # which share a critic
SPACE = Space(observation=1, action=1)
SIZE = Size(hidden=(32, 32), levels=8, samples=8, batch=64, warm_up=0)
# Rewards in units that are large beside the threshold of the Huber loss, and a light fixed weight (0.01).
RECIPE = replace(
    SIZE.apply(PACER_M),
    reward_scale=4.0,
    actor_optimiser=Adam(1e-3),
    critic_optimiser=Adam(3e-3),
)
SCALING = Moments.empty(1).scaling()
SAFE, WIN, LOSS, CHANCE = 0.3, 1.4, -2.0, 0.25

# The value of the risky arm under each measure, by hand.
LOSS_WEIGHTS = {shift: norm.cdf(norm.ppf(CHANCE) + shift) for shift in (0.75, -0.75)}
MEASURES = {
    CVaR(0.1): LOSS,
    CVaR(0.25): LOSS,
    CVaR(0.5): (LOSS + WIN) / 2,
    Wang(0.75): WIN + LOSS_WEIGHTS[0.75] * (LOSS - WIN),
    MeanDeviation(1.0): 0.55 - (WIN - LOSS) * (CHANCE * (1 - CHANCE)) ** 0.5,
    Neutral(): 0.55,
    CVaR(-0.25): WIN,
    Wang(-0.75): WIN + LOSS_WEIGHTS[-0.75] * (LOSS - WIN),
}


def rows(updates, seed):
    rng = np.random.default_rng(seed)
    action = rng.uniform(-1, 1, (updates, RECIPE.batch, 1)).astype(np.float32)
    risky = np.where(rng.random(action.shape) < CHANCE, LOSS, WIN)
    share = (1 + action) / 2
    reward = ((1 - share) * SAFE + share * risky)[..., 0].astype(np.float32)
    obs, zero = np.ones_like(action), np.zeros_like(reward)
    return Transition(obs, action, reward, obs, zero)


def prepared(updates, seed):
    return jax.vmap(lambda batch: learner.prepare(RECIPE, batch, SCALING))(rows(updates, seed))


def run(step, state, data, key):
    """A step of the learner per row of data, compiled as one loop."""
    keys = jax.random.split(key, len(data.reward))
    return jax.lax.scan(lambda s, x: step(s, *x), state, (data, keys))[0]


@cache
def taught():
    """A state whose critic has learnt. With uniform data and no next step, it is the same for every measure."""
    state = learner.init(RECIPE, SPACE, jax.random.key(0))
    return jax.jit(partial(run, partial(learner.update_critic, RECIPE)))(state, prepared(1000, 0), jax.random.key(1))


def test_the_critic_knows_the_tail_of_the_risky_arm():
    level = jnp.array([0.05, 0.1, 0.5, 0.9])
    found, _ = RECIPE.critic.at(taught().online.critic, jnp.ones((1, 1)), jnp.ones((1, 1)), level)
    expected = RECIPE.reward_scale * np.where(level < CHANCE, LOSS, WIN)
    np.testing.assert_allclose(found[:, 0], [expected, expected], atol=0.25 * RECIPE.reward_scale)


@dataclass(frozen=True)
class Chosen(Risk):
    """One of the measures by a number that may be traced: all actors are then trained by one compiled loop."""

    number: Any

    def value(self, returns):
        return jnp.stack([risk.value(returns) for risk in MEASURES])[self.number]


@cache
def actors():
    """The actors of all measures, taught by the same critic."""
    data = prepared(400, 1)

    @jax.jit
    @partial(jax.vmap, in_axes=(0, None, None))
    def train(number, state, data):
        recipe = replace(RECIPE, risk=Chosen(number))
        return run(partial(learner.update_actor, recipe), state, data, jax.random.key(2)).online.actor

    return train(jnp.arange(len(MEASURES)), taught(), data)


def share_of_risk(actor):
    """How much of the stake the greedy action puts on the risky arm."""
    policy = Policy(RECIPE.actor, SPACE, jax.tree.map(np.asarray, actor), SCALING)
    return (1 + policy.greedy(np.ones(1, np.float32))[0]) / 2


@pytest.mark.slow
@pytest.mark.parametrize("risk", MEASURES, ids=str)
def test_the_better_arm_under_the_measure_is_played(risk):
    share = share_of_risk(jax.tree.map(lambda x: x[list(MEASURES).index(risk)], actors()))
    assert share > 0.65 if MEASURES[risk] > SAFE else share < 0.35


@pytest.mark.slow
def test_an_averse_learner_turns_round_when_it_knows_the_tail():
    """The whole learner: a mean is known sooner than a tail, so the risky arm may attract at first."""
    recipe = replace(RECIPE, risk=CVaR(0.25))
    state = learner.init(recipe, SPACE, jax.random.key(0))
    for block in range(30):
        state, *_ = learner.learn(recipe, state, rows(50, block), SCALING, jax.random.key(block))
    assert share_of_risk(state.online.actor) < 0.35
