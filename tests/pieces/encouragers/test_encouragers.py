"""Contracts over all encouragers, and what free particles do under them."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from pacer.pieces.encouragers.mmd import MMD
from pacer.pieces.encouragers.repulsion import Repulsion
from pacer.pieces.encouragers.sliced import Sliced
from pacer.pieces.encouragers.volume import Volume
from pacer.pieces.encouragers.wasserstein import Wasserstein
from pacer.pieces.types import Actions
from tests.small import ENCOURAGERS, SPACE


@pytest.fixture(params=ENCOURAGERS.values(), ids=ENCOURAGERS.keys())
def encourager(request):
    return request.param


def actions(encourager, scale=1.0, shift=0.0):
    shape = (encourager.count(SPACE), 5, SPACE.action)
    return scale * jax.random.uniform(jax.random.key(0), shape, minval=-1, maxval=1) + shift


@partial(jax.jit, static_argnums=0)
def evaluate(encourager, x):
    return encourager.penalty(Actions(x, None), jax.random.key(1))


def test_penalty_is_one_finite_number_per_state(encourager):
    penalty = evaluate(encourager, actions(encourager))
    assert penalty.shape == (5,)
    assert jnp.isfinite(penalty).all()


def test_a_corner_costs_more_than_diversity(encourager):
    diverse = evaluate(encourager, actions(encourager, 0.6)).mean()
    corner = evaluate(encourager, actions(encourager, 0.05, 0.9)).mean()
    assert corner > 1.5 * diverse


def test_gradient_points_away_from_the_corner(encourager):
    gradient = jax.grad(lambda x: evaluate(encourager, x).sum())(actions(encourager, 0.05, 0.9))
    assert jnp.isfinite(gradient).all()
    if isinstance(encourager, Repulsion | Volume):  # which know width, not place: forces cancel
        assert jnp.abs(gradient.mean((0, 1))).max() < 1e-4 * jnp.abs(gradient).max()
    else:
        assert (gradient.mean((0, 1)) > 0).all()


def spread(encourager, size, steps=300):
    """Mean deviation per dimension of particles that minimise the penalty against fresh references."""
    particles = 0.1 * jax.random.normal(jax.random.key(0), (encourager.samples, 3, size))
    optimiser = optax.adam(optax.cosine_decay_schedule(0.05, steps))

    def step(carry, key):
        x, state = carry
        slope = jax.grad(lambda x: encourager.penalty(Actions(x, None), key).sum())(x)
        change, state = optimiser.update(slope, state)
        return (x + change, state), None

    keys = jax.random.split(jax.random.key(1), steps)
    run = jax.jit(lambda x: jax.lax.scan(step, (x, optimiser.init(x)), keys)[0][0])
    return float(np.asarray(run(particles)).std(0).mean())


@pytest.mark.parametrize("size", [1, *(pytest.param(size, marks=pytest.mark.slow) for size in (6, 17))])
@pytest.mark.parametrize(
    "encourager",
    [
        pytest.param(MMD(), id="mmd"),
        pytest.param(Wasserstein(), id="wasserstein", marks=pytest.mark.slow),
        pytest.param(Sliced(), id="sliced", marks=pytest.mark.slow),
    ],
)
def test_free_particles_spread_like_the_uniform(encourager, size):
    assert spread(encourager, size) == pytest.approx(3**-0.5, rel=0.15)


@pytest.mark.slow
def test_plain_transport_contracts_particles_in_many_dimensions():
    assert spread(Wasserstein(debiased=False, epsilon=0.05, sweeps=50), 17) < 0.3


def test_the_squared_kernel_does_not_spread_particles():
    assert spread(MMD(samples=32, kernel="squared_energy"), 6) < 0.2
