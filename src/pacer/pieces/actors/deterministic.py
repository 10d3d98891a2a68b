"""The deterministic policy a = tanh(f(s)) of DDPG and TD3: a push-forward of no noise at all."""

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from pacer.pieces.actors.base import Actor
from pacer.pieces.networks import apply, network_init
from pacer.pieces.types import Array, Network, Space


@dataclass(frozen=True)
class Deterministic(Actor):
    """One action per state; exploration must come from outside."""

    hidden: tuple[int, ...] = (256, 256)

    def noise_size(self, space: Space) -> int:
        return 0

    def init(self, key: Array, space: Space) -> Network:
        return Network(network_init(key, space.observation, 0, self.hidden, space.action))

    def push(self, network: Network, obs: Array, noise: Array, xp: Any = jnp) -> Array:
        action = xp.tanh(apply(network.params, obs, None, xp))
        return xp.broadcast_to(action, (*noise.shape[:-1], action.shape[-1]))

    def greedy(self, network: Network, obs: Array, space: Space, xp: Any = jnp) -> Array:
        return self.push(network, obs, xp.zeros((*obs.shape[:-1], 0), xp.float32), xp)
