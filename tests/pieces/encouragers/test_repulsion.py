"""Repulsion: against closed forms, and what holds a policy in a dimension that the value pulls at."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.pieces import Actions, Repulsion

EACH = Repulsion(actions=8, each_dimension=True)


def actions_of(width, count=8, states=2_000):
    """Uniform actions of these widths, one per dimension."""
    drawn = np.random.default_rng(0).uniform(-1, 1, (count, states, len(width)))
    return Actions(jnp.asarray(drawn * np.asarray(width), jnp.float32), None)


def spread(encourager, width):
    actions = actions_of(width)
    return float(encourager.spread(actions, encourager.penalty(actions, jax.random.key(0)).mean()))


@pytest.mark.parametrize("size", [1, 2, 6])
def test_uniform_actions_have_a_spread_of_one(size):
    assert spread(EACH, [1.0] * size) == pytest.approx(1.0, rel=0.02)


def test_the_spread_of_dimensions_is_their_geometric_mean():
    assert spread(EACH, [0.2, 0.05]) == pytest.approx(0.1, rel=0.03)
    assert spread(Repulsion(), [0.2, 0.05]) == pytest.approx(np.sqrt((0.2**2 + 0.05**2) / 2), rel=0.03)  # one hides it


@pytest.mark.parametrize("encourager", [EACH, Repulsion()], ids=["each", "whole"])
def test_pairs_are_the_definition(encourager):
    action = np.asarray(actions_of([0.5, 0.3, 0.1], 5, 2).action, np.float64)
    expected = np.zeros(2)
    for i in range(5):
        for j in range(5):
            gap = (action[i] - action[j]) ** 2
            terms = gap if encourager.each_dimension else gap.sum(-1, keepdims=True)
            expected -= (i != j) * 0.5 * np.log(terms + 1e-6).sum(-1) / 20
    found = encourager.penalty(Actions(jnp.asarray(action, jnp.float32), None), jax.random.key(0))
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_actions_before_tanh_tell_the_same_distances():
    places = np.linspace(-3, 3, 5)[:, None, None] + np.random.default_rng(0).normal(0, 0.2, (5, 200, 3))
    raw = jnp.asarray(places, jnp.float32)
    action, key = np.tanh(np.asarray(raw, np.float64)), jax.random.key(0)
    gaps = np.abs(action[:, None] - action[None])[~np.eye(5, dtype=bool)]
    expected = -np.log(gaps).mean(0).sum(-1)
    np.testing.assert_allclose(EACH.penalty(Actions(jnp.tanh(raw), None, raw), key), expected, rtol=1e-4)


def test_a_policy_at_its_bounds_is_pulled_back():
    """There tanh is flat: only the distances before it still know where actions are."""
    raw = jnp.asarray([8.0, 8.5, 9.0, 9.1, 12.0])[:, None, None]

    def penalty(raw, known):
        return EACH.penalty(Actions(jnp.tanh(raw), None, raw if known else None), jax.random.key(0)).sum()

    assert not jax.grad(penalty)(raw, False).any()
    pull = jax.grad(penalty)(raw, True)
    assert np.isfinite(pull).all()
    assert float(pull.sum()) == pytest.approx(2.0, rel=1e-3)  # each pair pulls at each of its two with 1


def test_a_dimension_that_has_narrowed_is_pushed_as_hard_as_if_it_were_alone():
    """Wide in the first dimension, narrow in the second: whole actions are far apart, and hardly repel along it."""
    action = actions_of([1.0, 0.01], 8, 500).action
    pushes = {}
    for name, encourager in {"each": EACH, "whole": Repulsion()}.items():
        slope = jax.grad(lambda a, e=encourager: e.penalty(Actions(a, None), jax.random.key(0)).mean())(action)
        pushes[name] = float((-slope[..., 1] * action[..., 1]).sum())  # outwards, per relative widening
    alone = jax.grad(lambda a: EACH.penalty(Actions(a, None), jax.random.key(0)).mean())(action[..., 1:])
    assert pushes["each"] == pytest.approx(float((-alone[..., 0] * action[..., 1]).sum()), rel=1e-4)
    assert pushes["whole"] < 0.05 * pushes["each"]
