"""The scalar critic Q(s, a) by squared TD error: a return with one atom (SAC, TD3, DDPG, PTD3, LSP, SQL)."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp

from pacer.pieces.critics.base import Critic
from pacer.pieces.networks import apply, members_init
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Expected(Critic):
    """The mean of the return."""

    distributional: ClassVar[bool] = False
    hidden: tuple[int, ...] = (256, 256)
    members: int = 2

    def init(self, key: Array, space: Space) -> Network:
        return Network(members_init(key, self.members, space.observation, space.action, self.hidden, 1))

    def returns(self, network: Network, obs: Array, action: Array, key: Array) -> Returns:
        values = [apply(params, obs, action) for params in network.params]
        return Returns(jnp.stack(values), jnp.full(1, 0.5), jnp.ones(1))

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        return ((predicted.value - goal.value) ** 2).mean() * self.members
