"""Contracts over all encouragers, and what free particles do under them."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from pacer.encouragers.mmd import MMD
from pacer.types import Actions
from tests.pieces import ENCOURAGERS, SPACE


@pytest.fixture(params=ENCOURAGERS.values(), ids=ENCOURAGERS.keys())
def encourager(request):
    return request.param


def actions(encourager, scale=1.0, shift=0.0):
    shape = (encourager.samples, 5, SPACE.action)
    return scale * jax.random.uniform(jax.random.key(0), shape, minval=-1, maxval=1) + shift


def test_penalty_is_one_finite_number_per_state(encourager):
    penalty = encourager.penalty(Actions(actions(encourager), None), jax.random.key(1))
    assert penalty.shape == (5,)
    assert jnp.isfinite(penalty).all()


def test_a_corner_costs_more_than_diversity(encourager):
    diverse = encourager.penalty(Actions(actions(encourager, 0.6), None), jax.random.key(1)).mean()
    corner = encourager.penalty(Actions(actions(encourager, 0.05, 0.9), None), jax.random.key(1)).mean()
    assert corner > 1.5 * diverse


def test_gradient_points_away_from_the_corner(encourager):
    def penalty(x):
        return encourager.penalty(Actions(x, None), jax.random.key(1)).sum()

    gradient = jax.grad(penalty)(actions(encourager, 0.05, 0.9))
    assert jnp.isfinite(gradient).all()
    assert (gradient.mean((0, 1)) > 0).all()


def spread(encourager, size, steps=400):
    """Mean deviation per dimension of particles that minimise the penalty against fresh references."""
    particles = 0.1 * jax.random.normal(jax.random.key(0), (encourager.samples, 8, size))
    optimiser = optax.adam(optax.cosine_decay_schedule(0.05, steps))

    def step(carry, key):
        x, state = carry
        slope = jax.grad(lambda x: encourager.penalty(Actions(x, None), key).sum())(x)
        change, state = optimiser.update(slope, state)
        return (x + change, state), None

    keys = jax.random.split(jax.random.key(1), steps)
    (particles, _), _ = jax.lax.scan(step, (particles, optimiser.init(particles)), keys)
    return float(np.asarray(particles).std(0).mean())


@pytest.mark.parametrize("size", [1, 6, 17])
def test_free_particles_spread_like_the_uniform(size):
    assert spread(MMD(samples=32), size) == pytest.approx(3**-0.5, rel=0.15)


def test_the_squared_kernel_does_not_spread_particles():
    assert spread(MMD(samples=32, kernel="squared_energy"), 6) < 0.2
