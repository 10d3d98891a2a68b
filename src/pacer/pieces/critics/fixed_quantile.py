"""Quantiles at fixed levels, one output each (QR); with `dropped`, truncation over pooled members (TQC)."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp

from pacer.pieces.critics.base import Critic
from pacer.pieces.critics.levels import even_levels, quantile_loss
from pacer.pieces.networks import apply, members_init
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class FixedQuantile(Critic):
    """As many quantiles as levels, at the midpoints of equal masses."""

    distributional: ClassVar[bool] = True
    hidden: tuple[int, ...] = (256, 256)
    levels: int = 32
    members: int = 2
    dropped: float | None = None
    """None: minimum per level over members. A share: pool all members' atoms and drop that much of the highest."""
    threshold: float = 1.0

    def __post_init__(self) -> None:
        if self.dropped is not None and not (0 <= self.dropped < 1 and self._kept() > 0):
            raise ValueError(f"dropped is {self.dropped}: expected a share from 0 to below 1 that leaves some atoms")

    def init(self, key: Array, space: Space) -> Network:
        return Network(members_init(key, self.members, space.observation, space.action, self.hidden, self.levels))

    def returns(self, network: Network, obs: Array, action: Array, key: Array) -> Returns:
        values = [apply(params, obs, action) for params in network.params]
        return Returns(jnp.stack(values), *even_levels(self.levels))

    def lower(self, returns: Returns) -> Returns:
        if self.dropped is None:
            return super().lower(returns)
        pooled = jnp.moveaxis(returns.value, 0, -2)
        pooled = jnp.sort(pooled.reshape(*pooled.shape[:-2], -1), axis=-1)
        return Returns(pooled[..., : self._kept()], *even_levels(self._kept()))

    def _kept(self) -> int:
        """Atoms of the pool that are left: a whole number of every member's."""
        return self.members * round(self.levels * (1 - (self.dropped or 0.0)))

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        return quantile_loss(predicted, goal, self.threshold)
