"""Reward utilities psi: what a reward is worth in training. Evaluation never sees them.

All are differentiable in the reward almost everywhere, as the policy gradient theorem of the paper asks.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp

from pacer.pieces.piece import Piece
from pacer.pieces.types import Array, Transition


class Utility(Piece):
    @abstractmethod
    def shape(self, batch: Transition) -> Array:
        """Utility (B,) of raw transitions."""


@dataclass(frozen=True)
class Identity(Utility):
    """The reward as it is."""

    short: ClassVar[str] = "identity"

    def shape(self, batch: Transition) -> Array:
        return batch.reward


@dataclass(frozen=True)
class Power(Utility):
    """sign(r) |r|^exponent: the paper's powers, sign-preserving so that penalties stay penalties."""

    short: ClassVar[str] = "power"
    exponent: float = 1.0

    def __post_init__(self) -> None:
        if self.exponent <= 0:
            raise ValueError(f"the exponent of a power utility is {self.exponent}: expected a number above 0")

    def shape(self, batch: Transition) -> Array:
        if self.exponent == 1:  # whose slope at 0 is 1, where other powers have none
            return batch.reward
        size = jnp.abs(batch.reward)
        positive = size > 0
        return jnp.where(positive, jnp.sign(batch.reward) * jnp.where(positive, size, 1.0) ** self.exponent, 0.0)


@dataclass(frozen=True)
class Exponential(Utility):
    """(1 - exp(-aversion r)) / aversion: aversion above 0 discounts large rewards, below 0 prizes them."""

    short: ClassVar[str] = "exponential"
    aversion: float = 0.0

    def shape(self, batch: Transition) -> Array:
        if self.aversion == 0:
            return batch.reward
        return -jnp.expm1(-self.aversion * batch.reward) / self.aversion


@dataclass(frozen=True)
class Truncation(Utility):
    """The reward between two bounds."""

    short: ClassVar[str] = "truncation"
    lowest: float = -1.0
    highest: float = 1.0

    def __post_init__(self) -> None:
        if not self.lowest < self.highest:
            raise ValueError(f"a reward truncated to [{self.lowest}, {self.highest}]: expected lowest < highest")

    def shape(self, batch: Transition) -> Array:
        return jnp.clip(batch.reward, self.lowest, self.highest)


@dataclass(frozen=True)
class ActionCost(Utility):
    """-|a|^2: an own term of the transition, to be combined with the reward."""

    short: ClassVar[str] = "action-cost"

    def shape(self, batch: Transition) -> Array:
        return -(batch.action**2).sum(-1)


@dataclass(frozen=True)
class Combination(Utility):
    """first + coefficient * second: any term of the transition beside the reward, such as intrinsic motivation."""

    short: ClassVar[str] = "combination"
    first: Utility = Identity()
    second: Utility = ActionCost()
    coefficient: float = 0.1

    def shape(self, batch: Transition) -> Array:
        return self.first.shape(batch) + self.coefficient * self.second.shape(batch)
