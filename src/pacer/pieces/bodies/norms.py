"""Normalisation of features, before an activation or a block."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp

from pacer.pieces.piece import Piece
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Array, Network

SMALLEST_VARIANCE = 1e-5


class Norm(Piece):
    learns: ClassVar[bool] = False
    """Whether it has parameters or statistics of its own."""

    @abstractmethod
    def init(self, width: int) -> Network: ...

    @abstractmethod
    def apply(self, network: Network, x: Array, xp: Any = jnp, training: bool = False) -> tuple[Array, Any]:
        """Normalised features (..., W) and the statistics after them."""


@dataclass(frozen=True)
class NoNorm(Norm):
    """Features as they are."""

    def init(self, width: int) -> Network:
        return Network(())

    def apply(self, network: Network, x: Array, xp: Any = jnp, training: bool = False) -> tuple[Array, Any]:
        return x, network.stats


@dataclass(frozen=True)
class LayerNorm(Norm):
    """Mean 0 and variance 1 over the features of each input, without a learned scale."""

    softness: float = SMALLEST_VARIANCE
    """Below this variance features pass nearly as they are, and only larger ones are held, at the root of 1 and this:
    how far an input lies out is not lost, and yet nothing grows without end."""

    def __post_init__(self) -> None:
        check_positive(self, "softness")

    def init(self, width: int) -> Network:
        return Network(())

    def apply(self, network: Network, x: Array, xp: Any = jnp, training: bool = False) -> tuple[Array, Any]:
        centred = x - x.mean(-1, keepdims=True)
        return centred * xp.sqrt((1 + self.softness) / (x.var(-1, keepdims=True) + self.softness)), network.stats


@dataclass(frozen=True)
class BatchNorm(Norm):
    """Mean 0 and variance 1 of each feature over the batch when learning; by running statistics otherwise."""

    learns: ClassVar[bool] = True
    rate: float = 0.01
    """How far one batch moves the running statistics."""

    def init(self, width: int) -> Network:
        return Network(
            {"scale": jnp.ones(width), "shift": jnp.zeros(width)},
            {"mean": jnp.zeros(width), "variance": jnp.ones(width)},
        )

    def apply(self, network: Network, x: Array, xp: Any = jnp, training: bool = False) -> tuple[Array, Any]:
        stats = network.stats
        used = stats
        if training:
            batch = tuple(range(x.ndim - 1))
            used = {"mean": x.mean(batch), "variance": x.var(batch)}
            stats = {name: old + self.rate * (used[name] - old) for name, old in stats.items()}
        scale = network.params["scale"] / xp.sqrt(used["variance"] + SMALLEST_VARIANCE)
        return (x - used["mean"]) * scale + network.params["shift"], stats
