"""Sliced transport against SciPy along each line, and the exact distance in one dimension."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.stats import wasserstein_distance

from pacer.pieces.encouragers.sliced import Sliced, sliced_distance
from pacer.pieces.types import Actions


def uniform(seed, shape):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def lines(count, size):
    directions = np.random.default_rng(2).normal(size=(size, count)).astype(np.float32)
    return directions / np.linalg.norm(directions, axis=0)


distance = jax.jit(sliced_distance, static_argnums=3)


def test_each_line_equals_scipy():
    x, y, along = uniform(0, (30, 4, 3)) ** 3, uniform(1, (30, 4, 3)), lines(5, 3)
    for line in along.T:
        ours = distance(x, y, line[:, None], 1.0)
        for state in range(4):
            assert ours[state] == pytest.approx(wasserstein_distance(x[:, state] @ line, y[:, state] @ line), rel=1e-4)


def test_several_lines_are_averaged():
    x, y, along = uniform(0, (30, 4, 3)) ** 3, uniform(1, (30, 4, 3)), lines(5, 3)
    expected = [
        np.mean([wasserstein_distance(x[:, state] @ line, y[:, state] @ line) for line in along.T])
        for state in range(4)
    ]
    np.testing.assert_allclose(distance(x, y, along, 1.0), expected, rtol=1e-4)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_one_dimension_is_the_exact_distance(p):
    """Random lines in one dimension are +-1, and both give the assignment's cost."""
    encourager = Sliced(samples=20, p=p, directions=6)
    x, key = uniform(0, (20, 3, 1)) ** 3, jax.random.key(3)
    ours = jax.jit(lambda x: encourager.penalty(Actions(x, None), key))(x)
    y = np.asarray(encourager.reference.draw(jax.random.split(key)[0], x.shape))
    for state in range(3):
        costs = np.abs(x[:, None, state, 0] - y[None, :, state, 0]) ** p
        assert ours[state] == pytest.approx(costs[linear_sum_assignment(costs)].mean() ** (1 / p), rel=1e-4)


def test_many_lines_see_a_shift_by_its_length_over_the_root_of_the_dimension():
    """Two copies a vector d apart: every line sees |d . line|, whose mean square is |d|^2 / A."""
    x, shift = uniform(0, (10, 2, 4)), np.array([0.5, -0.2, 0.1, 0.3], np.float32)
    assert distance(x, x + shift, lines(4_000, 4), 2.0)[0] == pytest.approx(np.linalg.norm(shift) / 2, rel=0.03)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_gradient_is_finite_where_samples_coincide_and_correct_elsewhere(p):
    along = lines(6, 3)
    slope = jax.jit(jax.grad(lambda x, y: sliced_distance(x, y, along, p).sum()))
    x, y = uniform(0, (9, 2, 3)), uniform(1, (9, 2, 3))
    assert jnp.isfinite(slope(x, x)).all()
    assert jnp.isfinite(slope(jnp.zeros_like(x), y)).all()
    gradient, step = slope(x, y), np.zeros_like(x)
    step[4, 1, 2] = 1e-3
    change = distance(x + step, y, along, p).sum() - distance(x - step, y, along, p).sum()
    assert gradient[4, 1, 2] == pytest.approx(float(change) / 2e-3, rel=0.02, abs=1e-3)
