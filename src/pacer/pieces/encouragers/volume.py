"""Actions that span a volume: as many samples of a state as make a simplex, whose log-volume is to be large."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import jax.numpy as jnp
from jax.scipy.special import digamma

from pacer.pieces.actors.squash import squash_log_det
from pacer.pieces.encouragers.base import SampleEncourager
from pacer.pieces.types import Actions, Array, Space

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe

FLATTEST = 1e-6  # variance, and share of all, in a direction below which a simplex is flat, and is pushed no harder
UNIFORM = 1 / math.sqrt(3)  # deviation of uniform actions


@dataclass(frozen=True)
class Volume(SampleEncourager):
    """Minus the mean log-volume of the simplex that A + 1 actions span: in one dimension, of their distance.

    For normal actions it is minus their entropy, up to a constant. It knows width, not place. No dimension can stand in
    for another, and none can follow another: a simplex is flat if its corners lie in any plane.
    """

    states: int = 32
    samples: ClassVar[int] = 2  # at least

    def count(self, space: Space) -> int:
        return space.action + 1

    def check(self, recipe: "Recipe") -> None:
        super().check(recipe)
        if recipe.backup.penalty_in_return:
            raise ValueError(
                "Volume compares one action more than there are dimensions, too many for every next state: use "
                "Repulsion for a penalty in the return, or leave penalty_in_return at False"
            )

    def penalty(self, actions: Actions, key: Array) -> Array:
        x = actions.action if actions.raw is None else actions.raw
        count, _, size = x.shape
        x = x - x.mean(0)
        covariance = jnp.einsum("nsa,nsb->sab", x, x) / (count - 1)
        # Relative too: a factor of a wide, flat simplex would be lost to rounding.
        floor = FLATTEST * (1 + jnp.trace(covariance, axis1=-2, axis2=-1))
        root = jnp.linalg.cholesky(covariance + floor[:, None, None] * jnp.eye(size))
        edges = jnp.diagonal(root, axis1=-2, axis2=-1)
        volume = jnp.log(edges).sum(-1)
        if actions.raw is not None:  # tanh shrinks volumes, and pulls inwards by this however far out actions lie
            volume = volume + squash_log_det(actions.raw).mean(0)
        return -volume

    def spread(self, actions: Actions, penalty: Array) -> Array:
        """That of independent normal actions with this penalty."""
        count, _, size = actions.action.shape
        return jnp.exp((self._of_unit_normal(count, size) - penalty) / size) / UNIFORM

    def of_normal(self, width: float, space: Space) -> Array:
        """The penalty of independent normal actions of this deviation."""
        return self._of_unit_normal(self.count(space), space.action) - space.action * jnp.log(width)

    def _of_unit_normal(self, count: int, size: int) -> Array:
        # Minus half the mean log-determinant of a Wishart matrix.
        return -(digamma((count - jnp.arange(1, size + 1)) / 2) + math.log(2 / (count - 1))).sum() / 2
