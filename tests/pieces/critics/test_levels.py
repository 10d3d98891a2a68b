"""Levels, and the quantile Huber loss against hand values, autodiff and known quantiles."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.pieces import Returns
from pacer.pieces.critics.levels import centred_quantile_loss, cosines_of, draw_levels, even_levels, quantile_huber


def plain(value, level, target, mass, threshold):
    """The definition, term by term."""
    error = target[..., None, :] - value[..., :, None]
    huber = jnp.where(jnp.abs(error) <= threshold, error**2 / (2 * threshold), jnp.abs(error) - threshold / 2)
    weighted = jnp.abs(level[..., :, None] - (error < 0)) * huber * mass[..., None, :]
    return weighted.sum(-1).mean()


def test_levels_are_ordered_midpoints_of_masses_that_sum_to_one():
    level, mass = draw_levels(jax.random.key(0), (9, 16), 0.1)
    np.testing.assert_allclose(mass.sum(-1), 1, rtol=1e-6)
    edges = np.concatenate([np.zeros((9, 1)), np.cumsum(mass, -1)], -1)
    np.testing.assert_allclose(level, (edges[:, 1:] + edges[:, :-1]) / 2, atol=1e-6)
    assert (mass > 0.1 / (16 * 1.1)).all()


@pytest.mark.parametrize("count", [1, 2, 10, 64])
def test_cosines_are_those_of_all_multiples(count):
    level = np.random.default_rng(0).uniform(size=(3, 5)).astype(np.float32)
    expected = np.cos(np.pi * level[..., None].astype(np.float64) * np.arange(1, count + 1))
    np.testing.assert_allclose(cosines_of(level, count), expected, atol=5e-5)


def test_loss_of_one_atom_by_hand():
    # error -2 below a prediction at level 0.9: |0.9 - 1| * (2 - 0.5)
    value = quantile_huber(jnp.array([[3.0]]), jnp.array([0.9]), jnp.array([[1.0]]), jnp.array([1.0]), 1.0)
    assert value == pytest.approx(0.1 * 1.5, rel=1e-6)
    # error 0.5 above it: 0.9 * 0.125
    value = quantile_huber(jnp.array([[3.0]]), jnp.array([0.9]), jnp.array([[3.5]]), jnp.array([1.0]), 1.0)
    assert value == pytest.approx(0.9 * 0.125, rel=1e-6)


@pytest.mark.parametrize("threshold", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("own_levels", [False, True])
def test_one_pass_equals_definition_and_its_gradient(threshold, own_levels):
    keys = jax.random.split(jax.random.key(1), 4)
    value, target = 2 * jax.random.normal(keys[0], (5, 7)), 2 * jax.random.normal(keys[1], (5, 4))
    level, _ = draw_levels(keys[2], (5, 7) if own_levels else (7,), 0.1)
    _, mass = draw_levels(keys[3], (5, 4) if own_levels else (4,), 0.1)
    arguments = (level, target, mass, threshold)
    ours, slope = jax.jit(jax.value_and_grad(quantile_huber), static_argnums=4)(value, *arguments)
    expected, gradient = jax.jit(jax.value_and_grad(plain))(value, *arguments)
    assert ours == pytest.approx(float(expected), rel=1e-5)
    np.testing.assert_allclose(slope, gradient, atol=1e-6)


@pytest.mark.parametrize(
    "name, draw, quantile",
    [
        ("gaussian", lambda rng, n: rng.normal(2, 3, n), lambda p: 2 + 3 * _normal_quantile(p)),
        ("uniform", lambda rng, n: rng.uniform(0, 1, n), lambda p: p),
        ("bernoulli", lambda rng, n: 10.0 * (rng.random(n) < 0.65), lambda p: 10.0 * (p > 0.35)),
    ],
)
def test_quantile_regression_recovers_known_quantiles(name, draw, quantile):
    """Free atoms at fixed levels, fitted to samples; a small threshold, since Huber's bias grows with it."""
    level = np.array([0.05, 0.2, 0.5, 0.8, 0.95], np.float32)
    rng = np.random.default_rng(0)
    samples = draw(rng, 4_000).astype(np.float32)
    mass = jnp.full(200, 1 / 200)
    value = jnp.full((1, 5), samples.mean())
    step = jax.jit(lambda v, t, rate: v - rate * 5 * jax.grad(quantile_huber)(v, jnp.asarray(level), t, mass, 0.01))
    scale = samples.std()
    for i in range(1_500):
        rows = rng.integers(0, len(samples), 200)
        value = step(value, jnp.asarray(samples[rows])[None], scale * 0.5 / (1 + i / 100))
    np.testing.assert_allclose(value[0], quantile(level), atol=0.15 * scale)


CHAINS = {"rare gains": (8.0, 100, 0.99), "frequent losses": (-70.0, 10, 0.965)}  # size, one in so many, discount


@pytest.mark.parametrize("unit", [1.0, pytest.param(100.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CHAINS)
def test_the_mean_of_random_rewards_is_learned_right(name, unit):
    """Temporal differences on one state whose reward is random: free atoms, and every reward as often as it comes."""
    size, one_in, discount = CHAINS[name]
    level, mass = even_levels(32)
    reward = jnp.zeros(one_in).at[0].set(size * unit)[:, None]

    def error(value):
        goal = jax.lax.stop_gradient(reward + discount * value)
        predicted = Returns(jnp.broadcast_to(value, (1, one_in, 32)), level, mass)
        return centred_quantile_loss(predicted, Returns(goal, level, mass), 0.1)

    learn = jax.jit(lambda v: jax.lax.fori_loop(0, 4_000, lambda _, v: v - 16 * jax.grad(error)(v), v))
    learned = learn(jnp.zeros(32))
    truth = size * unit / one_in / (1 - discount)
    assert learned.mean() == pytest.approx(truth, rel=0.03)
    deviation = abs(size * unit) * np.sqrt((1 / one_in - 1 / one_in**2) / (1 - discount**2))
    assert 0.2 * deviation < learned.std() < deviation  # 32 atoms do not hold the whole tail


def test_the_shape_leaves_the_mean_alone_and_scales_with_the_unit():
    rng = np.random.default_rng(0)
    value, goal = rng.normal(size=(2, 5, 8)).astype(np.float32), rng.normal(size=(5, 8)).astype(np.float32)
    level, mass = even_levels(8)

    @jax.jit
    def error(value, unit):
        return centred_quantile_loss(Returns(unit * value, level, mass), Returns(unit * goal, level, mass), 0.1)

    assert error(value, 100.0) == pytest.approx(1e4 * error(value, 1.0), rel=1e-4)
    gradient = jax.grad(error)(value, 1.0)
    np.testing.assert_allclose(gradient.sum(-1), (value.mean(-1) - goal.mean(-1)) / 5, rtol=1e-4, atol=1e-6)


def _normal_quantile(p):
    from scipy.stats import norm

    return norm.ppf(p)
