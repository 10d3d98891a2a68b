"""The tanh-squashed diagonal Gaussian of SAC, DSAC and the ablations."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax.numpy as jnp

from pacer.pieces.actors.base import Actor
from pacer.pieces.actors.squash import LOG_DEVIATION, normal_log_prob, squash_log_det
from pacer.pieces.bodies.base import Body, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.types import Actions, Array, Network, Space


@dataclass(frozen=True)
class Gaussian(Actor):
    """Mean and deviation from the state; the sample is squashed into the box."""

    has_density: ClassVar[bool] = True
    body: Body = MLP()

    def noise_size(self, space: Space) -> int:
        return space.action

    def init(self, key: Array, space: Space) -> Network:
        return headed_init(key, self.body, space.observation, 0, 2 * space.action)

    def transform(
        self, network: Network, obs: Array, noise: Array, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        mean, log_deviation, stats = self._moments(network, obs, xp, training)
        return mean + xp.exp(log_deviation) * noise, stats

    def sample(
        self, network: Network, obs: Array, noise: Array, key: Array, training: bool = False
    ) -> tuple[Actions, Any]:
        mean, log_deviation, stats = self._moments(network, obs, jnp, training)
        raw = mean + jnp.exp(log_deviation) * noise
        log_prob = normal_log_prob(noise) - log_deviation.sum(-1) - squash_log_det(raw)
        return Actions(jnp.tanh(raw), log_prob, raw), stats

    def _moments(self, network: Network, obs: Array, xp: Any, training: bool) -> tuple[Array, Array, Any]:
        output, stats = headed(self.body, network, obs, None, xp, training)
        size = output.shape[-1] // 2
        return output[..., :size], xp.clip(output[..., size:], *LOG_DEVIATION), stats
