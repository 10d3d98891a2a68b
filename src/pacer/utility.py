"""Reward utilities psi: what a reward is worth in training. Evaluation never sees them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pacer.types import Array, Transition


class Utility(ABC):
    @abstractmethod
    def shape(self, batch: Transition) -> Array:
        """Utility (B,) of raw transitions."""


@dataclass(frozen=True)
class Identity(Utility):
    """The reward as it is."""

    def shape(self, batch: Transition) -> Array:
        return batch.reward
