"""Entropy as an encourager: the penalty is the log-density of the policy's own actions (SAC, DSAC, IDAC, LSP)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pacer.pieces.encouragers.base import Encourager
from pacer.pieces.piece import name_of
from pacer.pieces.types import Actions, Array

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


@dataclass(frozen=True)
class Entropy(Encourager):
    """Log-density of the actions, to be kept low."""

    measures: ClassVar[str] = "log_density"
    samples: ClassVar[int] = 1
    states: ClassVar[int] = 0

    def check(self, recipe: "Recipe") -> None:
        if not recipe.actor.has_density:
            raise ValueError(
                f"Entropy needs the policy's density, and a {name_of(recipe.actor)} actor has none: "
                "use a sample-based encourager such as MMD, or an actor with a density such as Gaussian"
            )

    def penalty(self, actions: Actions, key: Array) -> Array:
        assert actions.log_prob is not None  # a recipe with this piece has an actor with a density
        return actions.log_prob.mean(0)
