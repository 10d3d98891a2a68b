"""Risk measures phi: one number for a distribution of returns. Neutral parameters give exactly the mean."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pacer.types import Array, Returns


class Risk(ABC):
    @abstractmethod
    def value(self, returns: Returns) -> Array:
        """Value (...) of returns (..., K)."""


@dataclass(frozen=True)
class Neutral(Risk):
    """The mean."""

    def value(self, returns: Returns) -> Array:
        return (returns.mass * returns.value).sum(-1)
