"""Volume: against the entropy of normal policies, and what neither distances nor single dimensions see."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from pacer.pieces import Actions, PolicyBackup, Repulsion, Space, Volume
from pacer.recipes import RECIPES

VOLUME = Volume()
KEY = jax.random.key(0)


def normal(covariance, states=20_000, seed=0):
    """A simplex of normal actions in each of many states."""
    size = len(covariance)
    drawn = np.random.default_rng(seed).multivariate_normal(np.zeros(size), covariance, (size + 1, states))
    return jnp.asarray(drawn, jnp.float32)


def penalty(action):
    return float(VOLUME.penalty(Actions(action, None), KEY).mean())


def test_in_one_dimension_it_is_the_log_distance_of_two():
    pair = normal([[0.04]], states=50)
    distance = np.abs(np.asarray(pair[0] - pair[1], np.float64))[:, 0]
    variance = distance**2 / 2
    expected = -0.5 * np.log(variance + 1e-6 * (1 + variance))
    np.testing.assert_allclose(VOLUME.penalty(Actions(pair, None), KEY), expected, rtol=1e-4)


def test_it_is_the_volume_of_the_simplex():
    corners = jnp.asarray([[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1]], jnp.float32)[:, None]  # of volume 1
    # det of the covariance of 4 points is (3! volume)^2 / (4 * 3^3)
    assert penalty(corners) == pytest.approx(-np.log(6 / np.sqrt(4 * 27)), rel=1e-4)


@pytest.mark.parametrize("size", [2, 6])
def test_for_normal_policies_it_differs_by_their_entropy(size):
    rng = np.random.default_rng(1)
    mixing = 0.3 * rng.normal(size=(size, size)) + 0.3 * np.eye(size)
    correlated, plain = mixing @ mixing.T, 0.04 * np.eye(size)
    entropies = [multivariate_normal(np.zeros(size), c).entropy() for c in (correlated, plain)]
    assert penalty(normal(correlated)) - penalty(normal(plain)) == pytest.approx(entropies[1] - entropies[0], abs=0.1)


def test_for_squashed_normals_too():
    """The entropy of tanh(x) is that of x plus the mean log-slope of tanh: here against a histogram."""
    found, entropy = [], []
    for deviation in (0.3, 0.9):
        raw = normal([[deviation**2]], states=400_000)
        found.append(float(VOLUME.penalty(Actions(jnp.tanh(raw), None, raw), KEY).mean()))
        mass, edges = np.histogram(np.tanh(np.asarray(raw)).ravel(), bins=400, range=(-1, 1), density=True)
        cell = edges[1] - edges[0]
        entropy.append(-(mass * np.log(np.maximum(mass, 1e-12))).sum() * cell)
    assert found[0] - found[1] == pytest.approx(entropy[1] - entropy[0], abs=0.02)


@pytest.mark.parametrize("size", [1, 3, 8])
def test_the_spread_is_relative_to_the_uniform(size):
    uniform = jax.random.uniform(KEY, (size + 1, 20_000, size), minval=-1.0)
    for width in (1.0, 0.2):
        actions = Actions(width * uniform, None)
        spread = VOLUME.spread(actions, VOLUME.penalty(actions, KEY).mean())
        assert float(spread) == pytest.approx(width, rel=0.07)


def test_it_knows_the_penalty_of_normal_actions():
    for size in (1, 4):
        assert float(VOLUME.of_normal(0.2, Space(3, size))) == pytest.approx(
            penalty(normal(0.04 * np.eye(size))), abs=0.05
        )


def test_dimensions_that_follow_each_other_are_seen_by_volume_alone():
    independent, together = normal(0.04 * np.eye(2)), normal([[0.04, 0.0399], [0.0399, 0.04]])
    each = Repulsion(actions=3, each_dimension=True)
    apart = [float(each.penalty(Actions(a, None), KEY).mean()) for a in (independent, together)]
    assert apart[0] == pytest.approx(apart[1], abs=0.05)
    assert penalty(together) - penalty(independent) > 1.5


def test_a_simplex_that_is_next_to_flat_is_pushed_apart_across():
    line = jnp.linspace(-0.5, 0.5, 4)[:, None, None] * jnp.ones((1, 50, 3))
    line = line + 1e-2 * jax.random.normal(KEY, line.shape)
    force = -jax.grad(lambda a: VOLUME.penalty(Actions(a, None), KEY).sum())(line)
    thinnest = [
        np.linalg.svd(np.moveaxis(np.asarray(a - a.mean(0)), 1, 0))[1][:, 2] for a in (line, line + 1e-6 * force)
    ]
    assert (thinnest[1] > thinnest[0]).all()


@pytest.mark.parametrize("size", [1, 17])
@pytest.mark.parametrize("deviation", [0.0, 30.0])
def test_flat_simplices_of_any_width_are_finite(size, deviation):
    raw = deviation * jax.random.normal(KEY, (size + 1, 400, 1)) * jnp.ones(size)

    def total(raw):
        return VOLUME.penalty(Actions(jnp.tanh(raw), None, raw), KEY).sum()

    value, force = jax.value_and_grad(total)(raw)
    assert np.isfinite(value)
    assert np.isfinite(force).all()


def test_a_policy_at_its_bounds_is_pulled_back():
    raw = jnp.asarray([8.0, 9.0, 12.0])[:, None, None] + 0.1 * jax.random.normal(KEY, (3, 1, 2))
    pull = jax.grad(lambda raw: VOLUME.penalty(Actions(jnp.tanh(raw), None, raw), KEY).sum())(raw)
    np.testing.assert_allclose(pull.sum(0), 2.0, rtol=1e-3)  # the slope of -log(1 - tanh^2)


def test_it_asks_for_one_action_more_than_there_are_dimensions():
    assert VOLUME.count(Space(3, 6)) == 7


def test_it_is_refused_in_the_return():
    with pytest.raises(ValueError, match="Repulsion"):
        replace(RECIPES["pacer"][1], backup=PolicyBackup(penalty_in_return=True, penalty_actions=2))
