"""The tanh-squashed diagonal Gaussian of SAC, DSAC and the ablations."""

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from pacer.pieces.actors.base import DensityActor, without_noise
from pacer.pieces.actors.squash import LOG_DEVIATION, normal_log_prob, squash_log_det
from pacer.pieces.networks import apply, network_init
from pacer.pieces.types import Actions, Array, Network, Space


@dataclass(frozen=True)
class Gaussian(DensityActor):
    """Mean and deviation from the state; the sample is squashed into the box."""

    hidden: tuple[int, ...] = (256, 256)

    def noise_size(self, space: Space) -> int:
        return space.action

    def init(self, key: Array, space: Space) -> Network:
        return Network(network_init(key, space.observation, 0, self.hidden, 2 * space.action))

    def push(self, network: Network, obs: Array, noise: Array, xp: Any = jnp) -> Array:
        mean, log_deviation = self._moments(network, obs, xp)
        return xp.tanh(mean + xp.exp(log_deviation) * noise)

    def greedy(self, network: Network, obs: Array, space: Space, xp: Any = jnp) -> Array:
        return without_noise(self, network, obs, space, xp)

    def density(self, network: Network, obs: Array, noise: Array, key: Array) -> Actions:
        mean, log_deviation = self._moments(network, obs, jnp)
        raw = mean + jnp.exp(log_deviation) * noise
        log_prob = normal_log_prob(noise) - log_deviation.sum(-1) - squash_log_det(raw)
        return Actions(jnp.tanh(raw), log_prob)

    def _moments(self, network: Network, obs: Array, xp: Any) -> tuple[Array, Array]:
        output = apply(network.params, obs, None, xp)
        size = output.shape[-1] // 2
        return output[..., :size], xp.clip(output[..., size:], *LOG_DEVIATION)
