"""The scalar critic Q(s, a) by squared TD error: a return with one atom (SAC, TD3, DDPG, PTD3, LSP, SQL)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp

from pacer.pieces.bodies.base import Body, ensemble, ensemble_init, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.critics.base import Critic, scaled_heads
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Expected(Critic):
    """The mean of the return."""

    distributional: ClassVar[bool] = False
    body: Body = MLP()
    members: int = 2

    def init(self, key: Array, space: Space) -> Network:
        return ensemble_init(key, self.members, lambda k: headed_init(k, self.body, *space, 1))

    def evaluate(
        self, network: Network, obs: Array, action: Array, key: Array, training: bool = False
    ) -> tuple[Returns, Any]:
        value, stats = ensemble(network, lambda n: headed(self.body, n, obs, action, training=training))
        return Returns(value, jnp.full(1, 0.5), jnp.ones(1)), stats

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        return ((predicted.value - goal.value) ** 2).mean() * self.members

    def rescaled(self, params: Any, factor: Array) -> Any:
        return scaled_heads(params, factor)
