"""Volume: against the entropy of normal policies, and what neither distances nor single dimensions see."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import multivariate_normal

from pacer.pieces import Actions, Space, Volume

VOLUME = Volume()
KEY = jax.random.key(0)


def normal(covariance, states=20_000, seed=0):
    """As many normal actions as it asks for, in each of many states."""
    size = len(covariance)
    shape = (VOLUME.count(Space(3, size)), states)
    drawn = np.random.default_rng(seed).multivariate_normal(np.zeros(size), covariance, shape)
    return jnp.asarray(drawn, jnp.float32)


def penalty(action):
    return float(VOLUME.penalty(Actions(action, None), KEY).mean())


@pytest.mark.parametrize("size", [1, 2, 6])
def test_for_normal_policies_it_is_minus_their_entropy(size):
    mixing = 0.3 * np.random.default_rng(1).normal(size=(size, size)) + 0.3 * np.eye(size)
    entropy = multivariate_normal(np.zeros(size), mixing @ mixing.T).entropy()
    assert penalty(normal(mixing @ mixing.T)) == pytest.approx(-entropy, abs=0.02)


def test_for_squashed_normals_too():
    """The entropy of tanh(x) is that of x plus the mean log-slope of tanh: here against a histogram."""
    for deviation in (0.3, 0.9):
        raw = normal([[deviation**2]], states=200_000)
        found = float(VOLUME.penalty(Actions(jnp.tanh(raw), None, raw), KEY).mean())
        mass, edges = np.histogram(np.tanh(np.asarray(raw)).ravel(), bins=400, range=(-1, 1), density=True)
        entropy = -(mass * np.log(np.maximum(mass, 1e-12))).sum() * (edges[1] - edges[0])
        assert found == pytest.approx(-entropy, abs=0.02)


def test_states_differ_by_the_determinants_of_their_covariances():
    action = np.random.default_rng(0).normal(size=(8, 2, 3))
    found = VOLUME.penalty(Actions(jnp.asarray(action, jnp.float32), None), KEY)
    logs = [np.linalg.slogdet(np.cov(action[:, k].T))[1] / 2 for k in (0, 1)]
    assert float(found[0] - found[1]) == pytest.approx(logs[1] - logs[0], abs=1e-4)
    assert abs(logs[1] - logs[0]) > 0.1


@pytest.mark.parametrize("size", [1, 3, 8])
def test_the_spread_is_relative_to_the_uniform(size):
    shape = (VOLUME.count(Space(3, size)), 20_000, size)
    for width in (1.0, 0.2):
        action = width * jax.random.uniform(KEY, shape, minval=-1.0)
        actions = Actions(action, None, jnp.arctanh(action))
        spread = VOLUME.spread(actions, VOLUME.penalty(actions, KEY).mean())
        # Narrow ones are taken for normal, which are wider by 1.19 for their entropy, and by more in few samples.
        assert float(spread) == pytest.approx(width, rel=0.03 if width == 1 else 0.3)


def test_its_push_is_steady():
    """That of as few samples as span a volume is mostly noise: its variance is infinite where nothing bounds it."""

    def pushes(count):
        noise = jax.random.normal(KEY, (count, 4_000, 6))
        width = jax.vmap(jax.grad(lambda w, n: VOLUME.penalty(Actions(w * n[:, None], None), KEY)[0]), (None, 1))
        return jax.jit(width)(jnp.full(6, 0.1), noise)

    few, asked = (np.asarray(pushes(count)) for count in (7, VOLUME.count(Space(3, 6))))
    np.testing.assert_allclose(asked.mean(), -10.0, rtol=1e-3)
    assert few.std() > 5 * asked.std()


def test_dimensions_that_follow_each_other_are_seen():
    independent, together = normal(0.04 * np.eye(2)), normal([[0.04, 0.0399], [0.0399, 0.04]])
    assert penalty(together) - penalty(independent) > 1.5


def test_actions_next_to_a_line_are_pushed_apart_across():
    line = jnp.linspace(-0.5, 0.5, VOLUME.count(Space(3, 3)))[:, None, None] * jnp.ones((1, 50, 3))
    line = line + 1e-2 * jax.random.normal(KEY, line.shape)
    force = -jax.jit(jax.grad(lambda a: VOLUME.penalty(Actions(a, None), KEY).sum()))(line)
    thinnest = [
        np.linalg.svd(np.moveaxis(np.asarray(a - a.mean(0)), 1, 0))[1][:, 2] for a in (line, line + 1e-6 * force)
    ]
    assert (thinnest[1] > thinnest[0]).all()


@pytest.mark.parametrize("size", [1, 17])
@pytest.mark.parametrize("deviation", [0.0, 30.0])
def test_flat_volumes_of_any_width_are_finite(size, deviation):
    raw = deviation * jax.random.normal(KEY, (VOLUME.count(Space(3, size)), 400, 1)) * jnp.ones(size)

    def total(raw):
        return VOLUME.penalty(Actions(jnp.tanh(raw), None, raw), KEY).sum()

    value, force = jax.jit(jax.value_and_grad(total))(raw)
    assert np.isfinite(value)
    assert np.isfinite(force).all()


def test_a_policy_at_its_bounds_is_pulled_back():
    raw = jnp.asarray([8.0, 9.0, 12.0])[:, None, None] + 0.1 * jax.random.normal(KEY, (3, 1, 2))
    pull = jax.jit(jax.grad(lambda raw: VOLUME.penalty(Actions(jnp.tanh(raw), None, raw), KEY).sum()))(raw)
    np.testing.assert_allclose(pull.sum(0), 2.0, rtol=1e-3)  # the slope of -log(1 - tanh^2)
