"""Risk measures against closed forms of a Gaussian and quadrature of the distorted quantile function."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from pacer.pieces.risks import CPW, CVaR, Entropic, MeanDeviation, Neutral, PowerRisk, VaR, Wang
from pacer.pieces.types import Returns

MEAN, DEVIATION = 1.5, 2.0
NEUTRAL = [Neutral(), CVaR(1.0), CVaR(-1.0), Wang(0.0), CPW(1.0), PowerRisk(0.0), Entropic(0.0), MeanDeviation(0.0)]
# Each family from cautious to bold.
AVERSE = [
    [CVaR(0.1), CVaR(0.25), CVaR(0.4), CVaR(0.5), CVaR(0.9)],
    [Wang(1.5), Wang(0.75), Wang(0.2)],
    [PowerRisk(-2.0), PowerRisk(-0.5)],
    [Entropic(1.0), Entropic(0.2)],
    [MeanDeviation(2.0), MeanDeviation(0.5)],
    [VaR(0.05), VaR(0.2), VaR(0.35)],
]
SEEKING = [
    [CVaR(-0.8), CVaR(-0.5), CVaR(-0.25), CVaR(-0.1)],
    [Wang(-0.2), Wang(-0.75)],
    [PowerRisk(1.0), PowerRisk(1.5)],
    [Entropic(-0.2), Entropic(-0.5)],
    [MeanDeviation(-1.0), MeanDeviation(-2.0)],
    [VaR(0.7), VaR(0.98)],
]
ALL = [*NEUTRAL, CPW(0.71), *(risk for family in AVERSE + SEEKING for risk in family)]


@jax.jit
def _all_values(returns):
    return [risk.value(returns) for risk in ALL]


def values(returns):
    """The value under every measure: one compiled function for all, since each alone costs as much to compile."""
    return dict(zip(ALL, map(np.asarray, _all_values(returns)), strict=True))


def gaussian(atoms):
    """Atoms that carry the mean of their slice of the distribution, so that coarse tails lose nothing."""
    edges = norm.ppf(np.linspace(0, 1, atoms + 1))
    slices = -np.diff(norm.pdf(edges)) * atoms
    level = ((np.arange(atoms) + 0.5) / atoms).astype(np.float32)
    mass = np.full(atoms, 1 / atoms, np.float32)
    return Returns((MEAN + DEVIATION * slices).astype(np.float32), level, mass)


def uneven(rows=3, atoms=3):
    """Atoms in order, with random masses per row. All small tests have this shape, to compile once."""
    rng = np.random.default_rng(0)
    mass = rng.uniform(0.1, 1.1, (rows, atoms))
    mass /= mass.sum(1, keepdims=True)
    level = np.cumsum(mass, 1) - mass / 2
    atoms = 3 * np.sort(rng.normal(size=(rows, atoms)), 1)
    return Returns(*(x.astype(np.float32) for x in (atoms, level, mass)))


def by_quadrature(slope):
    """The integral of g'(t) F^-1(t) over (0, 1), from a given g'."""
    tails = quad(lambda t: slope(t) * norm.ppf(t), 1e-12, 0.5, limit=400)[0]
    return MEAN + DEVIATION * (tails + quad(lambda t: slope(t) * norm.ppf(t), 0.5, 1 - 1e-12, limit=400)[0])


def cpw_slope(t, h=0.71):
    numerator, base = t**h, t**h + (1 - t) ** h
    slope = h * (t ** (h - 1) - (1 - t) ** (h - 1))
    return h * t ** (h - 1) * base ** (-1 / h) - numerator / h * base ** (-1 / h - 1) * slope


CLOSED = {
    **{CVaR(c): MEAN - DEVIATION * norm.pdf(norm.ppf(c)) / c for c in (0.1, 0.25, 0.5, 0.9)},
    **{CVaR(-c): MEAN + DEVIATION * norm.pdf(norm.ppf(c)) / c for c in (0.1, 0.25, 0.5)},
    **{Wang(shift): MEAN - DEVIATION * shift for shift in (0.75, 0.2, -0.75)},
    **{VaR(level): MEAN + DEVIATION * norm.ppf(level) for level in (0.05, 0.35, 0.98)},
    **{Entropic(k): MEAN - k * DEVIATION**2 / 2 for k in (0.2, -0.2)},
    **{MeanDeviation(k): MEAN - k * DEVIATION for k in (0.5, 2.0, -1.0)},
    CPW(0.71): by_quadrature(cpw_slope),
    PowerRisk(-2.0): by_quadrature(lambda t: 3 * (1 - t) ** 2),
    PowerRisk(1.5): by_quadrature(lambda t: 2.5 * t**1.5),
}
FINE, UNEVEN = gaussian(4096), uneven()


@pytest.mark.parametrize("risk", CLOSED, ids=str)
def test_a_gaussian_return_has_its_closed_form(risk):
    # A tail that is weighed up, and an exponential of it, are known only as well as the last slice.
    assert values(FINE)[risk] == pytest.approx(CLOSED[risk], abs=0.01)


@pytest.mark.parametrize("risk", NEUTRAL, ids=str)
def test_neutral_parameters_are_exactly_the_mean(risk):
    for returns in (FINE, UNEVEN):
        found = values(returns)
        assert np.array_equal(found[risk], found[Neutral()])
        np.testing.assert_allclose(found[risk], (returns.mass * returns.value).sum(-1), rtol=1e-5, atol=1e-6)


def test_a_single_atom_is_worth_itself():
    alone = values(Returns(np.float32([[7.0]]), np.float32([0.5]), np.float32([1.0])))
    for risk in ALL:
        np.testing.assert_allclose(alone[risk], 7.0, rtol=1e-5, err_msg=str(risk))


def test_weights_sum_to_one():
    """A constant return is worth itself, and adding a constant adds it, whatever the masses."""
    plain = values(UNEVEN)
    constant = values(UNEVEN._replace(value=np.full_like(UNEVEN.value, -3.0)))
    shifted = values(UNEVEN._replace(value=UNEVEN.value + np.float32(2.0)))
    for risk in ALL:
        np.testing.assert_allclose(constant[risk], -3.0, rtol=1e-5, err_msg=str(risk))
        np.testing.assert_allclose(shifted[risk], plain[risk] + 2.0, rtol=1e-4, err_msg=str(risk))


@pytest.mark.parametrize("returns", [FINE, UNEVEN], ids=["gaussian", "uneven"])
@pytest.mark.parametrize("families, sign", [(AVERSE, -1), (SEEKING, 1)], ids=["averse", "seeking"])
def test_averse_is_below_the_mean_and_seeking_above(returns, families, sign):
    found = values(returns)
    for risk in (risk for family in families for risk in family):
        assert (sign * (found[risk] - found[Neutral()]) > 0.01).all(), risk


def test_value_falls_with_aversion():
    found = values(FINE)
    for averse, seeking in zip(AVERSE, SEEKING, strict=True):
        family = averse + seeking
        assert (np.diff([found[risk] for risk in family]) > 0.01).all(), family


def test_cpw_overrates_both_tails():
    """The weights of three atoms, as values of unit returns; by hand from the distortion."""
    mass = np.array([0.02, 0.96, 0.02], np.float32)
    returns = Returns(np.eye(3, dtype=np.float32), np.tile(np.cumsum(mass) - mass / 2, (3, 1)), np.tile(mass, (3, 1)))
    low, high = ((t**0.71 / (t**0.71 + (1 - t) ** 0.71) ** (1 / 0.71)) for t in (0.02, 0.98))
    weights = values(returns)[CPW(0.71)]
    np.testing.assert_allclose(weights, [low, high - low, 1 - high], rtol=1e-3)
    assert weights[0] > 2 * 0.02
    assert weights[2] > 2 * 0.02


def test_hand_values_on_unequal_atoms():
    """Atoms 0, 1, 4 with masses 0.2, 0.3, 0.5: levels 0.1, 0.35, 0.75."""
    parts = [0, 1, 4], [0.1, 0.35, 0.75], [0.2, 0.3, 0.5]
    found = values(Returns(*(np.tile(np.array(part, np.float32), (3, 1)) for part in parts)))
    expected = {
        CVaR(0.4): 0.5,  # half 0, half 1
        CVaR(-0.8): (0.3 * 1 + 0.5 * 4) / 0.8,
        PowerRisk(1.0): (0.25 - 0.04) * 1 + 0.75 * 4,
        VaR(0.05): 0.0,  # beyond the outer levels: the outer atoms
        VaR(0.2): 0.4,
        VaR(0.35): 1.0,
        VaR(0.7): 1 + 3 * 0.35 / 0.4,
        VaR(0.98): 4.0,
        Entropic(1.0): -np.log(0.2 + 0.3 * np.exp(-1) + 0.5 * np.exp(-4)),
        MeanDeviation(2.0): 2.3 - 2 * np.sqrt(0.3 + 8 - 2.3**2),
    }
    for risk, number in expected.items():
        np.testing.assert_allclose(found[risk], number, rtol=1e-5, atol=1e-5, err_msg=str(risk))


def test_gradients_are_finite_in_atoms_and_masses():
    """Also where atoms coincide, and where an atom has no mass, as the ends of a histogram have."""
    risks = [Neutral(), CPW(0.71), *(family[0] for family in AVERSE), *(family[-1] for family in SEEKING)]

    def total(atoms, logits, risk):
        mass = jax.nn.softmax(logits)
        return risk.value(Returns(atoms, jnp.cumsum(mass, -1) - mass / 2, mass)).sum()

    @jax.jit
    def slopes(atoms, logits):
        return [jax.grad(partial(total, risk=risk), argnums=(0, 1))(atoms, logits) for risk in risks]

    logits = np.array([-120.0, -120.0, 0.0, 0.3, -0.5, -120.0], np.float32)
    atoms = np.linspace(-2, 3, 6, dtype=np.float32)
    found = zip(risks, slopes(atoms, logits), slopes(np.ones_like(atoms), logits), strict=True)
    for risk, (in_atoms, in_logits), coinciding in found:
        for part in (in_atoms, in_logits, *coinciding):
            assert jnp.isfinite(part).all(), risk
        assert in_atoms.sum() == pytest.approx(1.0, abs=1e-4), risk
        if not isinstance(risk, MeanDeviation):  # the one measure here that is not monotone
            assert (in_atoms >= -1e-6).all(), risk


@pytest.mark.parametrize(
    "kind, parameter", [(CVaR, 0.0), (CVaR, 1.5), (CVaR, -2.0), (CPW, 0.1), (CPW, 1.2), (VaR, 0.0), (VaR, 1.0)]
)
def test_impossible_parameters_are_refused(kind, parameter):
    with pytest.raises(ValueError, match=f"is {parameter}: expected"):
        kind(parameter)
