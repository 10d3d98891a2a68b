"""The policy gradient theorem of the paper (SUVPG), on a linear system with quadratic rewards and a short horizon.

J = E sum_t gamma^t psi(r_t). The theorem: its gradient is the mean, over the discounted visitation of states and over
the actor's noise, of d pi / d theta times d Q / d a, with Q under the utility psi and under the policy as it is.
The gradient comes from `Ascent` and the real actor, with a critic that knows Q; the objective from plain NumPy.
"""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from pacer.learner import TrainState, actor_loss
from pacer.pieces import (
    MLP,
    Ascent,
    Expected,
    Exponential,
    FirstMember,
    Identity,
    Networks,
    PushForward,
    Recipe,
    Returns,
    Space,
    Transition,
    Utility,
)

HORIZON, GAMMA = 3, 0.5
DISCOUNTED_STEPS = sum(GAMMA**time for time in range(HORIZON))
SPACE = Space(observation=2, action=1)  # position and time
ACTOR = PushForward(MLP((4, 4)))
UTILITIES = {"identity": Identity(), "averse": Exponential(0.8), "seeking": Exponential(-0.8)}

# The world's noises are uniform over a few values: then every mean is a finite sum, and the theorem must hold exactly.
STARTS = np.array([-0.8, 0.3, 1.1])
PUSHES = np.array([-0.4, 0.1, 0.5])
NOISES = norm.ppf((np.arange(4) + 0.5) / 4)


def reward(position, action):
    return -0.5 * (position**2) - 0.3 * (action - 0.4) ** 2 + 0.6


def step(position, action, push):
    return 0.9 * position + 0.7 * action + push


def shape(utility, position, action):
    """The library's own utility, of a whole transition."""
    return utility.shape(Transition(None, action, reward(position, action), None, None))


def plain_shape(utility, r):
    """The same by hand, for the objective's side."""
    return r if isinstance(utility, Identity) else (1 - np.exp(-utility.aversion * r)) / utility.aversion


@dataclass(frozen=True)
class Exact(Expected):
    """Every return that can follow (s, a) under a fixed policy, as atoms of equal mass."""

    distributional: ClassVar[bool] = True
    utility: Utility = Identity()

    def evaluate(self, network, obs, action, key, training=False):
        futures = np.array(list(product(product(PUSHES, NOISES), repeat=HORIZON - 1)), np.float32)  # (K, T, 2)
        position, time = (x[..., None] for x in (obs[:, 0], obs[:, 1]))
        action = action[..., 0][..., None]
        total = shape(self.utility, position, action)
        for number in range(HORIZON - 1):
            position = step(position, action, futures[:, number, 0])
            time = time + 1
            following = jnp.stack([position, jnp.broadcast_to(time, position.shape)], -1)
            noise = jnp.broadcast_to(futures[:, number, 1:], (*position.shape, 1))
            action = ACTOR.push(network, following, noise)[..., 0]
            alive = time < HORIZON
            total = total + GAMMA ** (number + 1) * jnp.where(alive, shape(self.utility, position, action), 0.0)
        count = len(futures)
        return Returns(total[None], (jnp.arange(count) + 0.5) / count, jnp.full(count, 1 / count)), ()


class EveryNoise(PushForward):
    """Each sample of a state is one of the noises, in turn."""

    def noise(self, rng, space, shape):
        return jnp.broadcast_to(jnp.asarray(NOISES, jnp.float32)[:, None, None], (*shape, 1))


class RandomNoise(PushForward):
    def noise(self, rng, space, shape):
        return jax.random.choice(rng, jnp.asarray(NOISES, jnp.float32), (*shape, 1))


def network():
    """Parameters that make action, state and noise matter."""
    shapes = jax.eval_shape(lambda key: ACTOR.init(key, SPACE), jax.random.key(0))
    rng = np.random.default_rng(3)
    return jax.tree.map(lambda x: rng.uniform(-1, 1, x.shape), shapes)


def act(actor, position, time, noise):
    """The actor in float64 on the host."""
    obs = np.stack([position, np.full_like(position, time)], -1)
    return ACTOR.push(actor, obs, noise[:, None], np)[:, 0]


def paths(actor):
    """Position before each step, over every path of starts, pushes and noises, all equally likely; and the rewards."""
    draws = np.array(list(product(STARTS, *[NOISES, PUSHES] * (HORIZON - 1), NOISES)))
    position, positions, rewards = draws[:, 0], [], []
    for time in range(HORIZON):
        positions.append(position)
        action = act(actor, position, time, draws[:, 1 + 2 * time])
        rewards.append(reward(position, action))
        if time + 1 < HORIZON:
            position = step(position, action, draws[:, 2 + 2 * time])
    return positions, rewards


def objective(actor, utility):
    return sum(GAMMA**time * plain_shape(utility, r).mean() for time, r in enumerate(paths(actor)[1]))


def directions(params):
    """A few directions in the space of the actor's parameters."""
    leaves, tree = jax.tree.flatten(params)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        yield jax.tree.unflatten(tree, [rng.normal(size=x.shape) for x in leaves])


def slope_along(actor, direction, value):
    """Central difference of a function of the actor."""
    high, low = (jax.tree.map(lambda x, d, h=h: x + h * d, actor.params, direction) for h in (1e-5, -1e-5))
    return (value(actor._replace(params=high)) - value(actor._replace(params=low))) / 2e-5


def along(gradient, direction):
    pairs = zip(jax.tree.leaves(gradient), jax.tree.leaves(direction), strict=True)
    return sum(float((np.asarray(g, np.float64) * d).sum()) for g, d in pairs)


def ascent(actor, utility, obs, noise=EveryNoise):
    """The gradient of `Ascent` at these states: minus that of the loss."""
    samples = len(NOISES) if noise is EveryNoise else 1
    pieces = {"improvement": Ascent(actions=samples), "actor_pessimism": FirstMember(), "utility": utility}
    recipe = Recipe(noise(ACTOR.body), Exact(utility=utility), **pieces)
    zeros = np.zeros(len(obs), np.float32)
    batch = Transition(obs.astype(np.float32), zeros[:, None], zeros, obs.astype(np.float32), zeros)

    @jax.jit
    def run(network, batch, key):
        state = TrainState(Networks(network, network), None, None, (), 0)
        slope, _ = jax.grad(actor_loss, has_aux=True)(network.params, recipe, state, batch, key)
        return jax.tree.map(jnp.negative, slope)

    return run(jax.tree.map(np.float32, actor), batch, jax.random.key(0))


def visited(actor, copies):
    """States of all paths in their due numbers, those of step t also `copies[t]` times."""
    rows = [np.stack([x, np.full_like(x, time)], -1) for time, x in enumerate(paths(actor)[0])]
    rows = np.concatenate([np.tile(row, (count, 1)) for row, count in zip(rows, copies, strict=True)])
    states, counts = np.unique(rows, axis=0, return_counts=True)  # paths share their first states
    return np.repeat(states, counts // np.gcd.reduce(counts), axis=0)


def slopes(actor, gradient, utility, steps=DISCOUNTED_STEPS):
    """What the gradient and the objective say along each direction. A mean over states stands for a sum over steps."""
    pairs = [
        (steps * along(gradient, d), slope_along(actor, d, lambda a: objective(a, utility)))
        for d in directions(actor.params)
    ]
    return np.array(pairs).T


@pytest.mark.parametrize("utility", UTILITIES.values(), ids=UTILITIES.keys())
def test_gradient_over_the_discounted_visitation_is_that_of_the_objective(utility):
    """Every state, noise and future is enumerated: gamma = 1/2 makes states of step 0, 1, 2 count 4, 2, 1 times."""
    actor = network()
    gradient = ascent(actor, utility, visited(actor, (4, 2, 1)))
    found, expected = slopes(actor, gradient, utility)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
    assert np.abs(expected).max() > 0.1


def test_sampled_gradient_is_unbiased():
    """States drawn from the visitation and one random noise each, as in learning."""
    actor, utility = network(), UTILITIES["averse"]
    obs = np.random.default_rng(1).choice(visited(actor, (4, 2, 1)), 20_000)
    found, expected = slopes(actor, ascent(actor, utility, obs, RandomNoise), utility)
    np.testing.assert_allclose(found, expected, atol=0.03 * np.abs(expected).max())


def test_the_undiscounted_visitation_is_another_gradient():
    """The check can fail: with every step counted alike, the gradient is not the objective's."""
    actor = network()
    gradient = ascent(actor, Identity(), visited(actor, (1, 1, 1)))
    found, expected = slopes(actor, gradient, Identity(), HORIZON)
    assert np.abs(found - expected).max() > 0.1 * np.abs(expected).max()


def test_a_utility_has_a_gradient_of_its_own():
    """The check can fail: the gradient of the plain reward is not that of the utility's objective."""
    actor = network()
    gradient = ascent(actor, Identity(), visited(actor, (4, 2, 1)))
    found, expected = slopes(actor, gradient, UTILITIES["averse"])
    assert np.abs(found - expected).max() > 0.1 * np.abs(expected).max()
