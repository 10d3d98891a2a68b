"""The distributions over [-1, 1]^A that sample-based encouragers pull the policy towards."""

from abc import abstractmethod
from dataclasses import dataclass

import jax

from pacer.pieces.piece import Piece
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Array


class Reference(Piece):
    @abstractmethod
    def draw(self, key: Array, shape: tuple[int, ...]) -> Array: ...


@dataclass(frozen=True)
class Uniform(Reference):
    """Every action alike: the paper's choice."""

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        return jax.random.uniform(key, shape, minval=-1.0, maxval=1.0)


@dataclass(frozen=True)
class TruncatedNormal(Reference):
    """Actions near the box's centre, for tasks in which large actions are costly."""

    deviation: float = 0.5

    def __post_init__(self) -> None:
        check_positive(self, "deviation")

    def draw(self, key: Array, shape: tuple[int, ...]) -> Array:
        bound = 1.0 / self.deviation
        return self.deviation * jax.random.truncated_normal(key, -bound, bound, shape)
