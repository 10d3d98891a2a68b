"""Utilities by hand values, their slopes by autodiff, and their place in the learner."""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer import learner
from pacer.pieces.types import Transition
from pacer.pieces.utilities import ActionCost, Combination, Exponential, Identity, Power, Truncation, Utility
from pacer.training.statistics import Moments
from tests.small import SMALL_RECIPES, SPACE

REWARDS = np.array([-4.0, -1.0, -0.25, 0.0, 0.25, 1.0, 4.0], np.float32)


def batch(reward=REWARDS):
    rng = np.random.default_rng(0)
    obs, next_obs = rng.normal(size=(2, len(reward), SPACE.observation)).astype(np.float32)
    action = rng.uniform(-1, 1, (len(reward), SPACE.action)).astype(np.float32)
    return Transition(obs, action, reward, next_obs, np.full(len(reward), 0.9, np.float32))


CASES = {
    Identity(): (lambda r: r, lambda r: 1.0),
    Power(0.5): (lambda r: np.sign(r) * abs(r) ** 0.5, lambda r: 0.5 * abs(r) ** -0.5),
    Power(0.8): (lambda r: np.sign(r) * abs(r) ** 0.8, lambda r: 0.8 * abs(r) ** -0.2),
    Power(1.0): (lambda r: r, lambda r: 1.0),
    Power(1.5): (lambda r: np.sign(r) * abs(r) ** 1.5, lambda r: 1.5 * abs(r) ** 0.5),
    Power(2.0): (lambda r: r * abs(r), lambda r: 2 * abs(r)),
    Exponential(0.0): (lambda r: r, lambda r: 1.0),
    Exponential(0.5): (lambda r: 2 * (1 - np.exp(-r / 2)), lambda r: np.exp(-r / 2)),
    Exponential(-0.5): (lambda r: 2 * (np.exp(r / 2) - 1), lambda r: np.exp(r / 2)),
    Truncation(-0.5, 2.0): (lambda r: min(max(r, -0.5), 2.0), lambda r: float(-0.5 < r < 2.0)),
}


@jax.jit
def shapes_and_slopes(rows):
    def run(utility):
        slope = jax.grad(lambda r: utility.shape(rows._replace(reward=r)).sum())(rows.reward)
        return utility.shape(rows), slope

    return [run(utility) for utility in CASES]


@pytest.mark.parametrize("utility", CASES, ids=str)
def test_values_and_slopes_by_hand(utility):
    """Slopes are finite at 0 too, where a root has none."""
    found, slope = dict(zip(CASES, shapes_and_slopes(batch()), strict=True))[utility]
    value, derivative = CASES[utility]
    np.testing.assert_allclose(found, [value(float(r)) for r in REWARDS], rtol=1e-5, atol=1e-6)
    assert jnp.isfinite(slope).all()
    away = (REWARDS != 0) | (utility == Power(1.0))
    np.testing.assert_allclose(slope[away], [derivative(float(r)) for r in REWARDS[away]], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("utility", [u for u in CASES if not isinstance(u, Truncation)], ids=str)
def test_penalties_stay_penalties_and_more_stays_more(utility):
    found, _ = dict(zip(CASES, shapes_and_slopes(batch()), strict=True))[utility]
    assert (np.sign(found) == np.sign(REWARDS)).all()
    assert (np.diff(found) > 0).all()


@dataclass(frozen=True)
class Curiosity(Utility):
    """A term of the transition alone: how far the state moved."""

    def shape(self, batch):
        return jnp.abs(batch.next_obs - batch.obs).sum(-1)


def test_a_combination_adds_its_own_term():
    rows = batch()
    moved = np.abs(rows.next_obs - rows.obs).sum(-1)
    curious = Combination(Power(2.0), Curiosity(), 0.3)
    np.testing.assert_allclose(curious.shape(rows), REWARDS * np.abs(REWARDS) + 0.3 * moved, rtol=1e-5)
    costly = Combination(coefficient=0.5)
    np.testing.assert_allclose(costly.shape(rows), REWARDS - 0.5 * (rows.action**2).sum(-1), rtol=1e-5)
    np.testing.assert_allclose(ActionCost().shape(rows), -(rows.action**2).sum(-1), rtol=1e-5)


def test_the_scale_comes_after_the_utility_and_terms_see_raw_observations():
    rows = batch()
    moments = Moments.empty(SPACE.observation).fold(7 + 3 * np.random.default_rng(1).normal(size=(50, 3)))
    recipe = replace(SMALL_RECIPES["pacer-m"], reward_scale=0.1, utility=Combination(Power(2.0), Curiosity(), 0.3))
    prepared = learner.prepare(recipe, rows, moments.scaling())
    moved = np.abs(rows.next_obs - rows.obs).sum(-1)
    np.testing.assert_allclose(prepared.reward, 0.1 * (REWARDS * np.abs(REWARDS) + 0.3 * moved), rtol=1e-5)
    assert np.array_equal(prepared.action, rows.action)
    assert np.array_equal(prepared.discount, rows.discount)


@pytest.mark.parametrize("make", [lambda: Power(0.0), lambda: Power(-1.0), lambda: Truncation(1.0, 1.0)])
def test_impossible_parameters_are_refused(make):
    with pytest.raises(ValueError, match="expected"):
        make()
