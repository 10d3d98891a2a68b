"""MMD against SciPy, closed forms, reference values and autodiff."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import energy_distance

from pacer.pieces.encouragers.base import penalty_limits
from pacer.pieces.encouragers.distances import safe_root
from pacer.pieces.encouragers.mmd import MMD, squared_mmd
from pacer.pieces.types import Actions, Space

KERNELS = ("energy", "squared_energy", "gaussian")


def uniform(seed, shape):
    return jax.random.uniform(jax.random.key(seed), shape, minval=-1.0, maxval=1.0)


def plain(x, y, kernel, unbiased=False):
    """The definition, by autodiff-friendly direct differences; x, y (N, A)."""

    def mean(p, q, counted=None):
        squares = ((p[:, None] - q[None]) ** 2).sum(-1)
        if kernel == "energy":
            values = -jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1.0)), 0.0)
        else:
            values = -squares if kernel == "squared_energy" else jnp.exp(-squares / 2)
        return values.mean(where=counted)

    different = ~np.eye(len(x), dtype=bool) if unbiased else None
    return mean(x, x, different) + mean(y, y, different) - 2 * mean(x, y)


def test_one_dimension_equals_scipy_energy_distance():
    x, y = np.asarray(uniform(0, (40, 3, 1))) ** 3, np.asarray(uniform(1, (40, 3, 1)))
    ours = safe_root(squared_mmd(jnp.asarray(x), jnp.asarray(y), "energy"))
    for state in range(3):
        assert ours[state] == pytest.approx(energy_distance(x[:, state, 0], y[:, state, 0]), rel=1e-4)


def test_of_few_samples_the_square_is_right_on_average():
    """Uniform on [-0.3, 0.3] against [-1, 1]: 2 E|x - y| - E|x - x'| - E|y - y'| with three closed forms."""
    few = 0.3 * uniform(0, (4, 20_000, 1))
    found = MMD(samples=4, root=False).penalty(Actions(few, None), jax.random.key(1)).mean()
    assert found == pytest.approx((1 + 0.3**2 / 3) - 0.2 - 2 / 3, rel=0.03)


@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("kernel", KERNELS)
def test_value_and_gradient_equal_the_definition(kernel, unbiased):
    x, y = 0.5 * uniform(0, (9, 4, 3)) + 0.4, uniform(1, (9, 4, 3))
    value, gradient = jax.jit(jax.value_and_grad(lambda x: squared_mmd(x, y, kernel, unbiased).sum()))(x)
    per_state = jax.vmap(lambda p, q: plain(p, q, kernel, unbiased), in_axes=1)
    expected, slope = jax.jit(jax.value_and_grad(lambda x: per_state(x, y).sum()))(x)
    assert value == pytest.approx(float(expected), rel=1e-4)
    np.testing.assert_allclose(gradient, slope, atol=1e-6)


@pytest.mark.parametrize(
    "size, floor, corner", [(1, 0.106, 1.157), (2, 0.140, 1.43), (6, 0.192, 1.90), (17, 0.252, 2.48)]
)
def test_reference_values_at_a_hundred_samples(size, floor, corner):
    found = jax.jit(lambda: penalty_limits(MMD(samples=100), Space(1, size)))()
    assert float(found[0]) == pytest.approx(floor, rel=0.06)
    assert float(found[2]) == pytest.approx(corner, rel=0.01)


@pytest.mark.parametrize("kernel", KERNELS)
def test_equal_samples_are_at_distance_zero_with_finite_gradient(kernel):
    x = uniform(0, (8, 2, 3))
    assert jnp.abs(squared_mmd(x, x, kernel)).max() < 1e-6
    gradient = jax.grad(lambda x: safe_root(squared_mmd(x, x, kernel)).sum())(x)
    assert jnp.isfinite(gradient).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_coinciding_actions_have_a_finite_gradient(kernel):
    encourager = MMD(samples=8, kernel=kernel)
    point = jnp.full((8, 2, 3), 0.3)
    gradient = jax.grad(lambda x: encourager.penalty(Actions(x, None), jax.random.key(0)).sum())(point)
    assert jnp.isfinite(gradient).all()
    assert jnp.abs(gradient).max() > 0


def test_nearly_equal_actions_repel_with_full_strength():
    """Two actions 1e-4 apart push each other away along their difference, as unit vectors do."""
    x = jnp.zeros((2, 1, 2)).at[1, 0, 0].set(1e-4)
    repulsion = jax.grad(lambda x: squared_mmd(x, jnp.zeros((2, 1, 2)) + 0.5, "energy").sum())(x)
    difference = repulsion[0, 0] - repulsion[1, 0]  # attraction is the same for both
    np.testing.assert_allclose(difference, [2 * 2 / 4, 0.0], atol=2e-2)


def test_squared_kernel_sees_only_the_mean():
    x, y = 0.3 * uniform(0, (50, 3, 4)) + 0.2, uniform(1, (50, 3, 4))
    gap = jnp.linalg.norm(x.mean(0) - y.mean(0), axis=-1)
    np.testing.assert_allclose(safe_root(squared_mmd(x, y, "squared_energy")), jnp.sqrt(2) * gap, rtol=1e-3)
