"""Several rewards in a target: what was played in between is corrected for."""

from dataclasses import replace

import jax
import numpy as np

from pacer import learner
from pacer.pieces import Adam, Averaging, Scaling, Transition
from pacer.recipes import DDPG
from tests.small import SMALL

BATCH, UPDATES, BLOCKS, GAMMA = 64, 50, 12, 0.9
FIRST, SECOND = np.eye(2, dtype=np.float32)


def stretches(rng):
    """From the first state any action leads to the second, where it pays its size and ends: half begin in each."""
    shape = (UPDATES, 2, BATCH)
    action = rng.uniform(-1, 1, (*shape, 1)).astype(np.float32)
    obs = np.broadcast_to(SECOND, (*shape, 2)).copy()
    obs[:, 0, ::2] = FIRST
    reward, discount = action[..., 0].copy(), np.zeros(shape, np.float32)
    reward[:, 0, ::2], discount[:, 0, ::2] = 0.0, GAMMA
    action[:, 1, 1::2], reward[:, 1, 1::2], discount[:, 1, 1::2] = action[:, 0, 1::2], reward[:, 0, 1::2], 1.0
    return Transition(obs, action, reward, np.broadcast_to(SECOND, obs.shape), discount)


def test_the_value_is_that_of_the_policy_and_not_of_what_was_played():
    recipe = replace(
        SMALL.apply(DDPG),
        return_steps=2,
        batch=BATCH,
        averaging=Averaging(0.05),
        actor_optimiser=Adam(3e-3),
        critic_optimiser=Adam(3e-3),
    )
    batches = stretches(rng := np.random.default_rng(0))
    space = batches.space
    scaling = Scaling(np.zeros(2, np.float32), np.ones(2, np.float32), np.float32(1.0))
    state = learner.init(recipe, space, jax.random.key(0))
    for block in range(BLOCKS):
        state, *_ = learner.learn(recipe, state, stretches(rng), scaling, jax.random.key(block))
    returns = recipe.critic.returns(
        state.online.critic, FIRST[None], np.zeros((1, 1, 1), np.float32), jax.random.key(0)
    )
    # The policy plays 1 in the second state, and uniform actions pay 0 on average.
    np.testing.assert_allclose(returns.value.mean(), GAMMA, atol=0.1)
