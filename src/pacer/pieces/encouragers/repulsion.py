"""Actions that repel each other: mean log-distance between the samples of a state, with no reference (DrAC)."""

import math
from dataclasses import dataclass

import jax.numpy as jnp
from jax.scipy.special import digamma

from pacer.pieces.encouragers.base import SampleEncourager
from pacer.pieces.encouragers.distances import by_dimension, squared_distances
from pacer.pieces.types import Actions, Array, Space

NEAREST = 1e-6  # squared distance (before tanh, where that is known) below which two actions stop repelling each other
UNIFORM = 1.5 - math.log(2)  # the penalty of uniform actions in one dimension


@dataclass(frozen=True)
class Repulsion(SampleEncourager):
    """Minus the mean log-distance of pairs: it knows width, not place, and pulls hardest where a policy is a point."""

    actions: int = 8
    """Few, whatever the size: pairs of many states tell more than many pairs of a few."""
    states: int = 64
    each_dimension: bool = False
    """Whether the log-distances are those of each dimension of the action, summed, rather than those of whole actions:
    then no dimension can stand in for another."""

    @property
    def samples(self) -> int:
        return self.actions

    def penalty(self, actions: Actions, key: Array) -> Array:
        x = by_dimension(actions.action)
        count = x.shape[2]
        if not self.each_dimension:
            logs = 0.5 * jnp.log(squared_distances(x, x) + NEAREST)
        elif actions.raw is None:
            logs = 0.5 * jnp.log(gaps(x) ** 2 + NEAREST).sum(0)
        else:
            logs = squashed_log_gaps(by_dimension(actions.raw)).sum(0)
        apart = 1 - jnp.eye(count)
        return -(logs * apart).sum((1, 2)) / (count * (count - 1))

    def spread(self, actions: Actions, penalty: Array) -> Array:
        """In each dimension the geometric mean over states and dimensions, which a single narrow one makes narrow."""
        if not self.each_dimension:
            return super().spread(actions, penalty)
        return jnp.exp(UNIFORM - penalty / actions.action.shape[-1])

    def of_normal(self, width: float, space: Space) -> Array:
        """The penalty of normal actions of this deviation."""
        # Two of them differ by a normal of sqrt(2) the width, whose length has mean log (log 4 width^2 + digamma) / 2.
        size, terms = (1, space.action) if self.each_dimension else (space.action, 1)
        return -terms * (jnp.log(2 * width) + digamma(size / 2) / 2)


def gaps(x: Array) -> Array:
    """Differences (..., N, N) of all pairs."""
    return x[..., :, None] - x[..., None, :]


def squashed_log_gaps(raw: Array) -> Array:
    """log|tanh a - tanh b| for all pairs of raw (..., N), as log sinh|a - b| - log cosh a - log cosh b.

    This pulls inwards however far out a and b lie. Through tanh the pull fades, and a policy at its bounds would stay.
    """
    apart = jnp.sqrt(gaps(raw) ** 2 + NEAREST)
    out = jnp.abs(raw)
    log_cosh = out + jnp.log1p(jnp.exp(-2 * out))  # this and log sinh without log 2, of which one is left
    log_sinh = apart + jnp.log(-jnp.expm1(-2 * apart))
    return log_sinh - log_cosh[..., :, None] - log_cosh[..., None, :] + jnp.log(2.0)
