"""The deterministic policy a = tanh(f(s)) of DDPG and TD3: a push-forward of no noise at all."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp

from pacer.pieces.actors.base import Actor
from pacer.pieces.bodies.base import Body, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.types import Array, Network, Space


@dataclass(frozen=True)
class Deterministic(Actor):
    """One action per state; exploration must come from outside."""

    has_noise: ClassVar[bool] = False

    body: Body = MLP()

    def noise_size(self, space: Space) -> int:
        return 0

    def init(self, key: Array, space: Space) -> Network:
        return headed_init(key, self.body, space.observation, 0, space.action)

    def transform(
        self, network: Network, obs: Array, noise: Array, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        raw, stats = headed(self.body, network, obs, None, xp, training)
        return xp.broadcast_to(raw, (*noise.shape[:-1], raw.shape[-1])), stats
