"""The scalar critic Q(s, a) by squared TD error: a return with one atom (SAC, TD3, DDPG, PTD3, LSP, SQL)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from pacer.critics.base import Critic, Target
from pacer.networks import apply, members_init
from pacer.types import Array, Network, Returns, Space, Transition


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

    def lower(self, returns: Returns) -> Returns:
        return returns._replace(value=returns.value.min(0))

    def loss(
        self, online: Network, frozen: Network, batch: Transition, next_action: Array, target: Target, key: Array
    ) -> tuple[Array, tuple[Any, dict[str, Array]]]:
        goal = target(self.lower(self.returns(frozen, batch.next_obs, next_action, key)))
        predicted = self.returns(online, batch.obs, batch.action, key)
        errors = predicted.value - jax.lax.stop_gradient(goal.value)
        return (errors**2).mean() * self.members, (online.stats, {"return": predicted.value.mean()})
