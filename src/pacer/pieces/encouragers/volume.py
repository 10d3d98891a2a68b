"""Actions that span a volume: an entropy for policies without a density, that of normal ones as wide."""

import math
from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jax.scipy.special import digamma

from pacer.pieces.actors.squash import squash_log_det
from pacer.pieces.encouragers.base import SampleEncourager
from pacer.pieces.types import Actions, Array, Space

FLATTEST = 1e-6  # variance, and share of all, in a direction below which samples lie in a plane: pushed no harder


@dataclass(frozen=True)
class Volume(SampleEncourager):
    """Minus the entropy of normal actions that span the same volume before tanh, and what tanh takes of it.

    It knows width, not place. No dimension can stand in for another, and none can follow another: actions in a plane
    span nothing. For a policy of several modes it is what the samples of a state show: less than the modes lie apart
    where all are of one mode, which is penalised.
    """

    measures: ClassVar[str] = "log_density"
    states: int = 16
    samples: ClassVar[int] = 4  # of one action; see `count`

    def count(self, space: Space) -> int:
        # Twice as many as span a volume. The push of those that barely do is so large where they lie next to a plane
        # that its variance is infinite, and that of the actor's steps with it.
        return 2 * (space.action + 1)

    def penalty(self, actions: Actions, key: Array) -> Array:
        x = actions.action if actions.raw is None else actions.raw
        count, _, size = x.shape
        x = x - x.mean(0)
        covariance = jnp.einsum("nsa,nsb->sab", x, x, precision="highest") / (count - 1)
        # Relative too: a factor of a wide, flat covariance would be lost to rounding.
        floor = FLATTEST * (1 + jnp.trace(covariance, axis1=-2, axis2=-1))
        root = jnp.linalg.cholesky(covariance + floor[:, None, None] * jnp.eye(size))
        entropy = jnp.log(jnp.diagonal(root, axis1=-2, axis2=-1)).sum(-1) + _entropy_of_one(count, size)
        if actions.raw is not None:  # tanh shrinks volumes, and pulls inwards by this however far out actions lie
            entropy = entropy + squash_log_det(actions.raw).mean(0)
        return -entropy

    def spread(self, actions: Actions, penalty: Array) -> Array:
        """Width of uniform actions with this entropy, relative to the whole box."""
        return jnp.exp(-penalty / actions.action.shape[-1]) / 2


def _entropy_of_one(count: int, size: int) -> Array:
    """Entropy of unit normals, less what the log-volume of so many samples of them is in the mean (Wishart)."""
    shortfall = digamma((count - jnp.arange(1, size + 1)) / 2) + math.log(2 / (count - 1))
    return 0.5 * (size * math.log(2 * math.pi * math.e) - shortfall.sum())
