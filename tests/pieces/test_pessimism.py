"""Pessimism: each against hand values, over all shapes of returns, with slopes that stay finite where members agree."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.pieces import (
    CVaR,
    FirstMember,
    LowestAtoms,
    LowestMember,
    MeanMinusDeviation,
    MeanOfMembers,
    Neutral,
    Returns,
    TruncatedPool,
)
from pacer.pieces.critics.levels import even_levels, midpoints

ALL = (LowestAtoms(), LowestMember(), MeanOfMembers(), MeanMinusDeviation(0.5), FirstMember(), TruncatedPool(0.3))
# Two members in one state, three atoms; the second has the lower mean (4 against 5), the first the lower tail.
VALUE = np.array([[[1.0, 5.0, 9.0]], [[2.0, 3.0, 7.0]]], np.float32)


def combine(pessimism, value, risk=Neutral()):  # noqa: B008 (a piece is a constant)
    return pessimism.combine(Returns(value, *even_levels(value.shape[-1])), risk)


@pytest.mark.parametrize(
    "pessimism, expected",
    [
        (LowestAtoms(), [1, 3, 7]),
        (LowestMember(), [2, 3, 7]),
        (MeanOfMembers(), [1.5, 4, 8]),
        (MeanMinusDeviation(2.0), [1.5 - 2 * 0.5, 4 - 2 * 1, 8 - 2 * 1]),
        (MeanMinusDeviation(0.0), [1.5, 4, 8]),
        (FirstMember(), [1, 5, 9]),
        (TruncatedPool(0.3), [1, 2, 3, 5]),
    ],
)
def test_two_members_by_hand(pessimism, expected):
    found = combine(pessimism, VALUE)
    np.testing.assert_allclose(found.value, [expected], rtol=1e-5)
    np.testing.assert_allclose(np.broadcast_to(found.mass, found.value.shape), 1 / len(expected), rtol=1e-5)
    np.testing.assert_allclose(np.broadcast_to(found.level, found.value.shape)[0], even_levels(len(expected))[0])


def test_the_lowest_member_is_the_one_that_the_risk_measure_rates_lowest():
    np.testing.assert_array_equal(combine(LowestMember(), VALUE).value, VALUE[1])
    np.testing.assert_array_equal(combine(LowestMember(), VALUE, CVaR(0.3)).value, VALUE[0])


def test_the_lowest_member_comes_with_its_own_masses_in_each_state():
    """Fixed values and learned masses, as a categorical critic has them."""
    atoms = np.linspace(-2, 3, 6, dtype=np.float32)
    mass = np.zeros((2, 2, 6), np.float32)  # members, states, atoms
    mass[0, 0, [0, 5]], mass[1, 0, 2] = 0.5, 1.0  # means 0.5 and 0
    mass[0, 1, [0, 3]], mass[1, 1, 4] = 0.5, 1.0  # means -0.5 and 2
    returns = Returns(np.broadcast_to(atoms, mass.shape), midpoints(mass), mass)
    found = LowestMember().combine(returns, Neutral())
    np.testing.assert_array_equal(found.mass, np.stack([mass[1, 0], mass[0, 1]]))
    np.testing.assert_array_equal(found.level, np.stack([returns.level[1, 0], returns.level[0, 1]]))


@pytest.mark.parametrize(
    "dropped, kept",
    [(0.0, [1, 2, 3, 4, 5, 6, 7, 8, 9]), (0.3, [1, 2, 3, 4, 5, 6]), (0.7, [1, 2, 3]), (0.99, [1, 2, 3])],
)
def test_truncation_drops_the_highest_of_the_pool_and_keeps_one_atom_of_each_member(dropped, kept):
    value = np.array([[9, 1, 5], [2, 8, 4], [7, 3, 6]], np.float32)[:, None, None]  # (M, N, B, K)
    found = combine(TruncatedPool(dropped), np.tile(value, (1, 2, 1, 1)))
    np.testing.assert_array_equal(found.value, np.tile(kept, (2, 1, 1)))
    np.testing.assert_allclose(found.mass, 1 / len(kept), rtol=1e-6)
    np.testing.assert_allclose(found.level[0, 0], (np.arange(len(kept)) + 0.5) / len(kept), rtol=1e-6)


@pytest.mark.parametrize("own", [False, True], ids=["shared masses", "masses of each state"])
def test_truncation_of_unequal_masses_equals_sorting_by_hand(own):
    rng = np.random.default_rng(0)
    value = rng.normal(size=(3, 4, 5)).astype(np.float32)  # (M, B, K)
    mass = rng.dirichlet(np.ones(5), 4 if own else None).astype(np.float32)
    found = TruncatedPool(0.4).combine(Returns(value, midpoints(mass), mass), Neutral())
    for state in range(4):
        masses = np.tile(mass[state] if own else mass, 3)
        order = np.argsort(value[:, state].ravel())[: 3 * 3]  # three of five atoms of each member
        kept = masses[order] / masses[order].sum()
        np.testing.assert_allclose(found.value[state], value[:, state].ravel()[order], rtol=1e-6)
        np.testing.assert_allclose(found.mass[state], kept, rtol=1e-5)
        np.testing.assert_allclose(found.level[state], np.cumsum(kept) - kept / 2, rtol=1e-4)


@pytest.mark.parametrize("dropped", [-0.1, 1.0, 2.0])
def test_truncation_must_leave_something(dropped):
    with pytest.raises(ValueError, match="expected a share from 0 to below 1"):
        TruncatedPool(dropped)


@pytest.mark.parametrize("pessimism", ALL, ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("atoms", [1, 4], ids=["expected", "distribution"])
class TestShapes:
    def test_samples_are_combined_one_by_one(self, pessimism, atoms):
        """Returns (M, N, B, K) give what each of the N gives as (M, B, K)."""
        value = np.random.default_rng(0).normal(size=(3, 2, 5, atoms)).astype(np.float32)
        whole = combine(pessimism, value, CVaR(0.5))
        assert whole.value.shape[:-1] == (2, 5)
        for sample in range(2):
            part = combine(pessimism, value[:, sample], CVaR(0.5))
            np.testing.assert_allclose(whole.at(sample).value, part.value, rtol=1e-5)
            mass, expected = (np.broadcast_to(r.mass, part.value.shape) for r in (whole.at(sample), part))
            np.testing.assert_allclose(mass, expected, rtol=1e-5)

    def test_one_member_alone_is_itself_when_nothing_is_dropped(self, pessimism, atoms):
        pessimism = TruncatedPool(0.0) if isinstance(pessimism, TruncatedPool) else pessimism
        value = np.sort(np.random.default_rng(0).normal(size=(1, 5, atoms))).astype(np.float32)
        np.testing.assert_allclose(combine(pessimism, value).value, value[0], atol=1e-5)

    def test_gradients_are_finite(self, pessimism, atoms):
        # Four members, whose mean is exact where they agree.
        value = np.random.default_rng(0).normal(size=(4, 2, 5, atoms)).astype(np.float32)
        gradient = jax.jit(jax.grad(lambda v: combine(pessimism, v).mean().sum()))
        for members in (value, np.broadcast_to(value[:1], value.shape)):
            assert jnp.isfinite(gradient(members)).all()
            # A common step of all members is a step of the result, in each of ten places.
            assert gradient(members).sum() == pytest.approx(10, rel=1e-4)
