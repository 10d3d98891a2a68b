"""Entropy as an encourager: the penalty is the log-density of the policy's own actions (SAC, DSAC, IDAC, LSP)."""

from dataclasses import dataclass
from typing import ClassVar

from pacer.pieces.encouragers.base import Encourager
from pacer.pieces.types import Actions, Array


@dataclass(frozen=True)
class Entropy(Encourager):
    """Log-density of the actions, to be kept low."""

    samples: ClassVar[int] = 1
    states: ClassVar[int] = 0
    needs_density: ClassVar[bool] = True

    def penalty(self, actions: Actions, key: Array) -> Array:
        assert actions.log_prob is not None  # a recipe with this piece has an actor with a density
        return actions.log_prob.mean(0)
