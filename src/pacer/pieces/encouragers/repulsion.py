"""Actions that repel each other: mean log-distance between the samples of a state, with no reference (DrAC)."""

from dataclasses import dataclass

import jax.numpy as jnp
from jax.scipy.special import digamma

from pacer.pieces.encouragers.base import SampleEncourager
from pacer.pieces.encouragers.distances import by_dimension, squared_distances
from pacer.pieces.types import Actions, Array, Space

NEAREST = 1e-6  # squared distance below which two actions stop repelling each other


@dataclass(frozen=True)
class Repulsion(SampleEncourager):
    """Minus the mean log-distance of pairs: it knows width, not place, and pulls hardest where a policy is a point."""

    actions: int = 8
    """Few, whatever the size: pairs of many states tell more than many pairs of a few."""
    states: int = 64

    @property
    def samples(self) -> int:
        return self.actions

    def penalty(self, actions: Actions, key: Array) -> Array:
        x = by_dimension(actions.action)
        count = x.shape[2]
        logs = 0.5 * jnp.log(squared_distances(x, x) + NEAREST)
        return -(logs * (1 - jnp.eye(count))).sum((1, 2)) / (count * (count - 1))

    def of_normal(self, width: float, space: Space) -> Array:
        """The penalty of normal actions of this deviation."""
        # Two of them differ by a normal of sqrt(2) the width, whose length has mean log (log 4 width^2 + digamma) / 2.
        return -(jnp.log(2 * width) + digamma(space.action / 2) / 2)
