"""The critic of `pacer`, networks and all, learns the mean of returns that are made of rare rewards."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from pacer import learner
from pacer.pieces import Adam, Averaging, Scaling, Scheduled, Space, Transition
from pacer.presets import Size
from pacer.recipes import PACER

SIZE = Size(hidden=(64, 64), levels=32, samples=4, batch=200, warm_up=0)
UPDATES, BLOCKS = 100, 100
CHAINS = {"rare gains": (8.0, 100, 0.99), "frequent losses": (-70.0, 10, 0.965)}  # size, one in so many, discount


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAINS)
def test_the_mean_of_rare_rewards_is_within_three_per_cent(name):
    """One state, and every reward as often as it comes in each batch."""
    size, one_in, discount = CHAINS[name]
    recipe = replace(
        SIZE.apply(PACER),
        critic=replace(SIZE.apply(PACER).critic, members=1),  # so that there is no pessimism
        discount=discount,
        averaging=Averaging(0.05),  # soon there: in 1 / (0.05 (1 - discount)) updates, 2,000 at most
        policy_delay=UPDATES * BLOCKS + 1,  # actions do not matter here
        critic_optimiser=Scheduled(Adam(1e-3), updates=UPDATES * BLOCKS, final=0.01),
    )
    rng, shape = np.random.default_rng(0), (UPDATES, recipe.batch)
    reward = np.zeros(shape, np.float32)
    reward[:, : recipe.batch // one_in] = size
    obs = np.ones((*shape, 1), np.float32)
    unit = np.float32(np.sqrt(np.mean(reward**2)))  # what `return_units` would choose
    scaling = Scaling(np.zeros(1, np.float32), np.ones(1, np.float32), unit)
    state = learner.init(recipe, Space(1, 1), jax.random.key(0))
    for block in range(BLOCKS):
        action = rng.uniform(-1, 1, (*shape, 1)).astype(np.float32)
        rows = Transition(obs, action, reward, obs, np.full(shape, discount, np.float32))
        state, *_ = learner.learn(recipe, state, rows, scaling, jax.random.key(block))
    returns = recipe.critic.returns(state.online.critic, obs[0, :1], np.zeros((1, 1), np.float32), jax.random.key(1))
    assert float(returns.mean().mean()) * unit == pytest.approx(size / one_in / (1 - discount), rel=0.03)
