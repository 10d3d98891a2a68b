"""The push-forward policy a = tanh(f(s, noise)): any distribution over actions, and no density (PACER, PTD3, SQL)."""

from dataclasses import dataclass
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np

from pacer.pieces.actors.base import Actor, draw_noise, without_noise
from pacer.pieces.networks import apply, network_init
from pacer.pieces.types import Array, Network, Space


@dataclass(frozen=True)
class PushForward(Actor):
    """Noise pushed through a network together with the state."""

    hidden: tuple[int, ...] = (256, 256)
    noise_power: int = 1
    """Noise dimension as a power of the action dimension: 1 is A, 2 is the A*A of the authors' lineage."""
    greedy_rule: Literal["zero", "medoid"] = "zero"
    """Greedy play: the action of zero noise, or of 64 fixed samples the one nearest to all others."""

    def noise_size(self, space: Space) -> int:
        return space.action**self.noise_power

    def init(self, key: Array, space: Space) -> Network:
        return Network(network_init(key, space.observation, self.noise_size(space), self.hidden, space.action))

    def push(self, network: Network, obs: Array, noise: Array, xp: Any = jnp) -> Array:
        return xp.tanh(apply(network.params, obs, noise, xp))

    def greedy(self, network: Network, obs: Array, space: Space, xp: Any = jnp) -> Array:
        if self.greedy_rule == "zero":
            return without_noise(self, network, obs, space, xp)
        noise = xp.asarray(draw_noise(np.random.default_rng(0), self, space, (64, *[1] * (obs.ndim - 1))))
        noise = xp.broadcast_to(noise, (64, *obs.shape[:-1], noise.shape[-1]))
        actions = self.push(network, obs, noise, xp)
        distances = xp.sqrt(((actions[:, None] - actions[None]) ** 2).sum(-1)).sum(0)
        return xp.take_along_axis(actions, distances.argmin(0)[None, ..., None], axis=0)[0]
