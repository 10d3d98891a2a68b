"""A bandit with a safe arm below 0 and a risky one above: who is averse takes the first, who is not the second.

The safe arm pays 0.2. The risky one pays 1, but -1.5 one time in five: mean 0.5, worst fifth -1.5.
"""

from dataclasses import replace

import jax
import numpy as np
import pytest

from pacer import learner
from pacer.encouragers.weight import Fixed
from pacer.moments import Moments
from pacer.policy import Policy
from pacer.presets import Size
from pacer.recipes import PACER_M
from pacer.risk import CVaR, MeanDeviation, Neutral, Wang
from pacer.types import Space, Transition

SPACE = Space(observation=1, action=1)
SIZE = Size(hidden=(32, 32), levels=16, samples=8, batch=64, warm_up=0)
RECIPE = replace(
    SIZE.apply(PACER_M), weight=Fixed(0.01), reward_scale=4.0, actor_learning_rate=3e-3, critic_learning_rate=3e-3
)
UPDATES, BLOCKS = 50, 12

# Measure and the value of the risky arm under it, by hand; the safe arm is 0.2 under all.
MEASURES = {
    CVaR(0.1): -1.5,
    CVaR(0.25): (0.2 * -1.5 + 0.05) / 0.25,
    CVaR(0.5): (0.2 * -1.5 + 0.3) / 0.5,
    Wang(0.75): -0.16,
    MeanDeviation(1.0): 0.5 - 1.0,
    Neutral(): 0.5,
    CVaR(-0.25): 1.0,
    Wang(-0.75): 0.86,
}


def rows(seed):
    rng = np.random.default_rng(seed)
    action = rng.uniform(-1, 1, (UPDATES, RECIPE.batch, 1)).astype(np.float32)
    risky = np.where(rng.random(action.shape) < 0.2, -1.5, 1.0)
    reward = np.where(action < 0, 0.2, risky)[..., 0].astype(np.float32)
    obs, zero = np.ones_like(action), np.zeros_like(reward)
    return Transition(obs, action, reward, obs, zero)


@pytest.mark.parametrize("risk", MEASURES, ids=str)
def test_the_better_arm_under_the_measure_is_played(risk):
    recipe, scaling = replace(RECIPE, risk=risk), Moments.empty(1).scaling()
    state = learner.init(recipe, SPACE, jax.random.key(0))
    for block in range(BLOCKS):
        state, metrics = learner.learn(recipe, state, rows(block), scaling, jax.random.key(block))
    actor = jax.tree.map(np.asarray, state.online.actor)
    greedy = Policy(recipe.actor, SPACE, actor, scaling).greedy(np.ones(1, np.float32))[0]
    print(risk, greedy, metrics["value"]/4, MEASURES[risk])
    assert np.sign(greedy) == np.sign(MEASURES[risk] - 0.2)
