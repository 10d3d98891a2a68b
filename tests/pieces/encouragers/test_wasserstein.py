"""Entropic transport against OTT-JAX, exact assignment, closed forms and finite differences."""

from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from ott.geometry import costs as ott_costs
from ott.geometry import pointcloud
from ott.solvers import linear
from scipy.optimize import linear_sum_assignment

from pacer.pieces.encouragers.distances import by_dimension, power, squared_distances
from pacer.pieces.encouragers.wasserstein import Wasserstein, regularised_cost, transport_plan
from pacer.pieces.types import Actions

SAMPLES, STATES, SIZE = 8, 3, 2
KEY = jax.random.key(4)
OTT_COSTS = {1.0: ott_costs.Euclidean(), 2.0: ott_costs.SqEuclidean()}


def uniform(seed):
    return np.random.default_rng(seed).uniform(-1, 1, (SAMPLES, STATES, SIZE)).astype(np.float32)


X, Y = uniform(0), uniform(1)


@cache
def transport(p):
    """One compiled function of (x, y, epsilon) for all that looks inside: value, plan, gradient."""

    def total(x, y, epsilon):
        costs = power(squared_distances(by_dimension(x), by_dimension(y)), p)
        value = regularised_cost(costs, epsilon, 1000)
        return value.sum(), (value, transport_plan(costs, epsilon, 1000))

    def run(x, y, epsilon):
        (_, (value, plan)), gradient = jax.value_and_grad(total, has_aux=True)(x, y, epsilon)
        return value, plan, gradient

    return jax.jit(run)


@partial(jax.jit, static_argnums=0)
def penalty_and_gradient(encourager, x):
    """Penalties (S,) and the gradient of their sum."""
    value = encourager.penalty(Actions(x, None), KEY)
    return value, jax.grad(lambda x: encourager.penalty(Actions(x, None), KEY).sum())(x)


def reference(encourager):
    return np.asarray(encourager.reference.draw(KEY, X.shape))


def plain_costs(x, y, p):
    """|x_i - y_j|^p by NumPy in float64: (N, A) each."""
    return np.linalg.norm(x[:, None].astype(np.float64) - y[None], axis=-1) ** p


def slow_sinkhorn(costs, epsilon):
    """Entropic cost by scaling of the kernel matrix: linear domain, with the Kullback-Leibler term added up."""
    n = len(costs)
    kernel, v = np.exp(-costs / epsilon), np.ones(n)
    for _ in range(300):
        u = 1 / (n * (kernel @ v))
        v = 1 / (n * (kernel.T @ u))
    plan = u[:, None] * kernel * v[None]
    return (plan * costs).sum() + epsilon * (plan * np.log(plan * n * n)).sum()


@pytest.mark.parametrize("epsilon", [0.05, 1.0])
def test_rows_and_columns_of_the_plan_carry_the_masses(epsilon):
    _, plan, _ = transport(2.0)(X, Y, epsilon)
    assert plan.shape == (STATES, SAMPLES, SAMPLES)
    np.testing.assert_allclose(plan.sum(2), 1 / SAMPLES, rtol=0.01)
    np.testing.assert_allclose(plan.sum(1), 1 / SAMPLES, rtol=1e-4)
    assert (plan >= 0).all()


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_value_gradient_and_plan_equal_ott(p):
    """The same absolute epsilon, and enough sweeps for both to converge."""
    epsilon = 0.2

    def solve(x):
        def one(x, y):
            geometry = pointcloud.PointCloud(x, y, cost_fn=OTT_COSTS[p], epsilon=epsilon)
            solved = linear.solve(geometry, threshold=1e-6, max_iterations=3000)
            return solved.reg_ot_cost, solved.matrix

        values, plans = jax.vmap(one, in_axes=1)(x, Y)
        return values.sum(), (values, plans)

    value, plan, gradient = transport(p)(X, Y, epsilon)
    (_, (expected, other)), slope = jax.jit(jax.value_and_grad(solve, has_aux=True))(X)
    np.testing.assert_allclose(value, expected, rtol=1e-4)
    np.testing.assert_allclose(plan.transpose(0, 2, 1), other, atol=1e-5)  # ours is (S, reference, policy)
    np.testing.assert_allclose(gradient, slope, atol=1e-4)


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_epsilon_leads_from_exact_assignment_to_the_mean_cost(p):
    small, plan, _ = transport(p)(X, Y, 0.004)
    large, even, _ = transport(p)(X, Y, 1e4)
    for state in range(STATES):
        costs = plain_costs(X[:, state], Y[:, state], p)
        assigned = costs[linear_sum_assignment(costs)].mean()
        assert (plan[state].T * costs).sum() == pytest.approx(assigned, rel=5e-3)
        # The entropy in the value is at most epsilon times log n.
        assert small[state] == pytest.approx(assigned, abs=0.004 * np.log(SAMPLES) + 1e-3)
        assert (even[state].T * costs).sum() == pytest.approx(costs.mean(), rel=1e-3)
        assert large[state] == pytest.approx(costs.mean(), rel=0.02)  # differences of numbers of size 1e4 in float32


def test_plain_penalty_is_the_root_of_the_assignment_cost():
    encourager = Wasserstein(samples=SAMPLES, p=2.0, epsilon=0.005, sweeps=1000, debiased=False)
    value, _ = penalty_and_gradient(encourager, X)
    y = reference(encourager)
    for state in range(STATES):
        costs = plain_costs(X[:, state], y[:, state], 2.0)
        assert value[state] == pytest.approx(costs[linear_sum_assignment(costs)].mean() ** 0.5, rel=5e-3)


@pytest.mark.parametrize("size", [1, 6])
def test_a_point_mass_at_the_centre_is_at_the_root_of_a_third_of_the_dimensions(size):
    """Every plan from one point costs the same, so there is no entropic bias to remove."""
    encourager = Wasserstein(samples=32, debiased=False)
    point = Actions(jnp.zeros((32, 64, size)), None)
    value = jax.jit(lambda key: encourager.penalty(point, key).mean())(KEY)
    assert value == pytest.approx((size / 3) ** 0.5, rel=0.02)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
class TestDivergence:
    """The debiased penalty."""

    def encourager(self, p):
        return Wasserstein(samples=SAMPLES, p=p, epsilon=0.5, sweeps=300)

    def test_equal_samples_are_at_distance_zero_with_finite_gradient(self, p):
        encourager = self.encourager(p)
        value, gradient = penalty_and_gradient(encourager, reference(encourager))
        np.testing.assert_allclose(value, 0.0, atol=1e-3)
        assert jnp.isfinite(gradient).all()

    def test_coinciding_actions_have_a_finite_gradient_towards_the_reference(self, p):
        _, gradient = penalty_and_gradient(self.encourager(p), np.full_like(X, 0.9))
        assert jnp.isfinite(gradient).all()
        assert (gradient.sum(0) > 0).all()

    def test_value_and_gradient_equal_the_definition(self, p):
        """Against central differences in float64: the frozen plan leaves nothing out at convergence."""
        encourager = self.encourager(p)
        value, gradient = penalty_and_gradient(encourager, X)
        for state in (0, 2):
            a, b = X[:, state].astype(np.float64), reference(encourager)[:, state]
            epsilon = 0.5 * plain_costs(a, b, p).mean()

            def divergence(a, b=b, epsilon=epsilon):
                pairs = (a, b), (a, a), (b, b)
                cross, own, other = (slow_sinkhorn(plain_costs(u, v, p), epsilon) for u, v in pairs)
                return (cross - 0.5 * (own + other)) ** (1 / p)

            assert value[state] == pytest.approx(divergence(a), rel=1e-3)
            for particle, dimension in ((0, 0), (5, 1)):
                step = np.zeros_like(a)
                step[particle, dimension] = 1e-4
                slope = (divergence(a + step) - divergence(a - step)) / 2e-4
                assert gradient[particle, state, dimension] == pytest.approx(slope, rel=0.01, abs=1e-3)


def test_plain_transport_of_coinciding_actions_has_a_finite_gradient():
    _, gradient = penalty_and_gradient(Wasserstein(samples=SAMPLES, p=1.0, debiased=False), np.full_like(X, 0.9))
    assert jnp.isfinite(gradient).all()
    assert (gradient.sum(0) > 0).all()


@pytest.mark.parametrize("change", [{"p": 0.5}, {"epsilon": 0.0}, {"sweeps": 0}])
def test_impossible_settings_are_refused(change):
    with pytest.raises(ValueError, match="expected p >= 1, epsilon > 0 and sweeps >= 1"):
        Wasserstein(**change)
