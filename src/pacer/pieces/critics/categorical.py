"""Probabilities on fixed atoms (C51): the reverse of a quantile critic, masses are learned and values are given."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.critics.base import Critic
from pacer.pieces.critics.levels import midpoints
from pacer.pieces.networks import apply, members_init
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Categorical(Critic):
    """A histogram of the return between two bounds, which must hold every return of the task."""

    distributional: ClassVar[bool] = True
    hidden: tuple[int, ...] = (256, 256)
    members: int = 2
    atoms: int = 101
    lowest: float = -200.0
    highest: float = 800.0

    def __post_init__(self) -> None:
        if self.atoms < 2 or not self.lowest < self.highest:
            raise ValueError(f"{self.atoms} atoms from {self.lowest} to {self.highest}: expected 2 or more, upwards")

    def init(self, key: Array, space: Space) -> Network:
        return Network(members_init(key, self.members, space.observation, space.action, self.hidden, self.atoms))

    def returns(self, network: Network, obs: Array, action: Array, key: Array) -> Returns:
        mass = jax.nn.softmax(self._logits(network, obs, action))
        value = jnp.broadcast_to(jnp.linspace(self.lowest, self.highest, self.atoms), mass.shape)
        return Returns(value, midpoints(mass), mass)

    def lower(self, returns: Returns) -> Returns:
        """The whole distribution of the member whose mean is lower: atoms of two histograms do not compare."""
        lowest = returns.mean().argmin(0)[None, ..., None]
        return Returns(*(jnp.take_along_axis(part, lowest, axis=0)[0] for part in returns))

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        log_mass = jax.nn.log_softmax(self._logits(online, batch.obs, batch.action))
        cross_entropy = -(self.project_mass(goal.value, goal.mass) * log_mass).sum(-1)
        return cross_entropy.mean() * self.members

    def project_mass(self, value: Array, mass: Array) -> Array:
        """Mass at any values (B, K), shared out to the two nearest atoms; what lies outside goes to the end atoms."""
        gap = (self.highest - self.lowest) / (self.atoms - 1)
        position = (jnp.clip(value, self.lowest, self.highest) - self.lowest) / gap
        share = jnp.clip(1 - jnp.abs(position[..., None] - jnp.arange(self.atoms)), 0, 1)  # (B, K, atoms)
        return jnp.einsum("bk,bka->ba", mass, share)

    def _logits(self, network: Network, obs: Array, action: Array) -> Array:
        return jnp.stack([apply(params, obs, action) for params in network.params])
