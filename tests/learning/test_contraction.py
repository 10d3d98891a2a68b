"""The paper's operator T Z = psi(r) + gamma Z' is a contraction: random chains, exact atoms, no learning.

Distances between two families of return distributions, as their largest over the states, shrink by gamma or more at
every application, whatever the utility of rewards.
"""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from pacer.pieces import Exponential, Identity, Power, Transition

STATES, REACHED = 10, 3
GAMMA = 0.9


class Chain:
    """From every state three others can be reached, each with a chance and a reward of its own."""

    def __init__(self, seed, utility):
        rng = np.random.default_rng(seed)
        self.reached = np.stack([rng.choice(STATES, REACHED, replace=False) for _ in range(STATES)])
        self.chance = rng.dirichlet(np.ones(REACHED), STATES)
        reward = rng.normal(size=STATES * REACHED).astype(np.float32)
        empty = np.zeros((len(reward), 1), np.float32)
        rows = Transition(empty, empty, jnp.asarray(reward), empty, empty[:, 0])
        self.utility = np.asarray(utility.shape(rows), np.float64).reshape(STATES, REACHED)

    def backed_up(self, returns):
        """One application to a list of (atoms, masses), a pair for every state."""
        found = []
        for state in range(STATES):
            parts = [
                (self.utility[state, k] + GAMMA * returns[to][0], self.chance[state, k] * returns[to][1])
                for k, to in enumerate(self.reached[state])
            ]
            found.append(tuple(np.concatenate(part) for part in zip(*parts, strict=True)))
        return found


def distance(some, others, p):
    """p-Wasserstein distance of two discrete distributions: the distance of their quantile functions."""
    (x, a), (y, b) = ((values[order := values.argsort()], masses[order]) for values, masses in (some, others))
    edges = np.sort(np.concatenate([np.cumsum(a), np.cumsum(b)]))
    widths, middles = np.diff(edges, prepend=0.0), edges - np.diff(edges, prepend=0.0) / 2
    gaps = [v[np.minimum(np.searchsorted(np.cumsum(m), middles), len(v) - 1)] for v, m in ((x, a), (y, b))]
    return (widths * np.abs(gaps[0] - gaps[1]) ** p).sum() ** (1 / p)


def random_returns(rng):
    return [(rng.normal(0, 3, 4), rng.dirichlet(np.ones(4))) for _ in range(STATES)]


@pytest.mark.parametrize("utility", [Identity(), Power(2.0), Exponential(0.5)])
@pytest.mark.parametrize("p", [1, 2])
def test_every_application_brings_any_two_returns_closer_by_gamma(utility, p):
    for seed in range(3):
        chain, rng = Chain(seed, utility), np.random.default_rng(100 + seed)
        some, others = random_returns(rng), random_returns(rng)
        apart = max(distance(z, w, p) for z, w in zip(some, others, strict=True))
        for _ in range(5):
            some, others = chain.backed_up(some), chain.backed_up(others)
            closer = max(distance(z, w, p) for z, w in zip(some, others, strict=True))
            assert 0 < closer <= GAMMA * apart * (1 + 1e-9)
            apart = closer


def test_the_distance_of_this_test_is_scipys():
    rng = np.random.default_rng(0)
    (x, a), (y, b) = ((rng.normal(size=n), rng.dirichlet(np.ones(n))) for n in (5, 7))
    assert distance((x, a), (y, b), 1) == pytest.approx(wasserstein_distance(x, y, a, b), rel=1e-9)


def test_the_fixed_point_is_the_distribution_of_played_returns():
    """The mean and deviation after many applications, against those of returns that are played out."""
    chain = Chain(7, Power(2.0))
    mean, square = np.zeros(STATES), np.zeros(STATES)
    for _ in range(300):  # the first two moments have an operator of their own
        reached_mean, reached_square = mean[chain.reached], square[chain.reached]
        square = (chain.chance * (chain.utility**2 + 2 * GAMMA * chain.utility * reached_mean)).sum(1) + (
            chain.chance * GAMMA**2 * reached_square
        ).sum(1)
        mean = (chain.chance * (chain.utility + GAMMA * reached_mean)).sum(1)
    rng = np.random.default_rng(0)
    state, played, weight = np.zeros(20_000, int), np.zeros(20_000), 1.0
    for _ in range(80):
        drawn = (rng.random(len(state))[:, None] > np.cumsum(chain.chance[state], 1)).sum(1).clip(max=REACHED - 1)
        played += weight * chain.utility[state, drawn]
        weight *= GAMMA
        state = chain.reached[state, drawn]
    error = played.std() / np.sqrt(len(played))
    assert played.mean() == pytest.approx(mean[0], abs=4 * error)
    assert played.std() == pytest.approx(np.sqrt(square[0] - mean[0] ** 2), rel=0.05)
