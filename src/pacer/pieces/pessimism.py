"""One return out of the critic's members, for the target and for the actor: how far to trust the highest."""

from abc import abstractmethod
from dataclasses import dataclass

import jax
import jax.numpy as jnp

from pacer.pieces.critics.levels import midpoints
from pacer.pieces.piece import Piece
from pacer.pieces.risks import Risk
from pacer.pieces.types import Array, Returns


class Pessimism(Piece):
    @abstractmethod
    def combine(self, returns: Returns, risk: Risk) -> Returns:
        """Returns (M, ..., B, K) of the members as one (..., B, K'). K' may differ from K."""


@dataclass(frozen=True)
class LowestAtoms(Pessimism):
    """The minimum over the members, atom by atom."""

    def combine(self, returns: Returns, risk: Risk) -> Returns:
        return returns._replace(value=returns.value.min(0))


@dataclass(frozen=True)
class LowestMember(Pessimism):
    """The whole return of the member that the risk measure rates lowest."""

    def combine(self, returns: Returns, risk: Risk) -> Returns:
        lowest = returns.at(0)
        for number in range(1, returns.value.shape[0]):
            other = returns.at(number)
            lower = (risk.value(other) < risk.value(lowest))[..., None]
            # Parts that the members share are the same on both sides, and keep their shape.
            lowest = Returns(*(a if a is b else jnp.where(lower, b, a) for a, b in zip(lowest, other, strict=True)))
        return lowest


@dataclass(frozen=True)
class MeanOfMembers(Pessimism):
    """No pessimism: the mean over the members, atom by atom."""

    def combine(self, returns: Returns, risk: Risk) -> Returns:
        return returns._replace(value=returns.value.mean(0))


@dataclass(frozen=True)
class MeanMinusDeviation(Pessimism):
    """The members' mean minus a multiple of their standard deviation, atom by atom."""

    multiple: float = 1.0

    def combine(self, returns: Returns, risk: Risk) -> Returns:
        deviation = jnp.sqrt(returns.value.var(0) + 1e-12)  # whose slope is finite where all members agree
        return returns._replace(value=returns.value.mean(0) - self.multiple * deviation)


@dataclass(frozen=True)
class FirstMember(Pessimism):
    """The first member alone (TD3's actor)."""

    def combine(self, returns: Returns, risk: Risk) -> Returns:
        return returns.at(0)


@dataclass(frozen=True)
class TruncatedPool(Pessimism):
    """The atoms of all members in one pool, without the highest (TQC)."""

    dropped: float = 0.08
    """Share of the atoms, rounded to a whole number of each member's."""

    def __post_init__(self) -> None:
        if not 0 <= self.dropped < 1:
            raise ValueError(f"dropped is {self.dropped}: expected a share from 0 to below 1")

    def combine(self, returns: Returns, risk: Risk) -> Returns:
        members, atoms = returns.value.shape[0], returns.value.shape[-1]
        kept = members * max(round(atoms * (1 - self.dropped)), 1)
        value, mass = (_pooled(jnp.broadcast_to(x, returns.value.shape)) for x in (returns.value, returns.mass))
        value, mass = (x[..., :kept] for x in jax.lax.sort([jnp.asarray(value), jnp.asarray(mass)], num_keys=1))
        mass = mass / mass.sum(-1, keepdims=True)
        return Returns(value, midpoints(mass), mass)


def _pooled(x: Array) -> Array:
    """(M, ..., K) to (..., M * K)."""
    x = jnp.moveaxis(x, 0, -2)
    return x.reshape(*x.shape[:-2], -1)
