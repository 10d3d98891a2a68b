"""The semi-implicit policy of IDAC: a Gaussian whose mean and deviation are themselves pushed from noise."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from pacer.pieces.actors.base import DensityActor, without_noise
from pacer.pieces.actors.squash import LOG_DEVIATION, normal_log_prob, squash_log_det
from pacer.pieces.networks import apply, network_init
from pacer.pieces.types import Actions, Array, Network, Space


@dataclass(frozen=True)
class SemiImplicit(DensityActor):
    """A mixture of Gaussians without end; its log-density is bounded by a finite mixture."""

    hidden: tuple[int, ...] = (256, 256)
    mixing_noise: int = 5
    """Size of the noise that mixes the Gaussians."""
    mixture: int = 21
    """Gaussians beside the one that made the action, in the bound of its log-density."""

    def noise_size(self, space: Space) -> int:
        return self.mixing_noise + space.action

    def init(self, key: Array, space: Space) -> Network:
        return Network(network_init(key, space.observation, self.mixing_noise, self.hidden, 2 * space.action))

    def push(self, network: Network, obs: Array, noise: Array, xp: Any = jnp) -> Array:
        return xp.tanh(self._raw(network, obs, noise, xp))

    def greedy(self, network: Network, obs: Array, space: Space, xp: Any = jnp) -> Array:
        return without_noise(self, network, obs, space, xp)

    def density(self, network: Network, obs: Array, noise: Array, key: Array) -> Actions:
        """log of the mean density over the Gaussian that made the action and `mixture` others.

        The Gaussians are held fixed in the gradient, which goes through the action alone: the score term that is
        left out has mean zero.
        """
        raw = self._raw(network, obs, noise, jnp)
        frozen = jax.lax.stop_gradient(network)
        others = jax.random.normal(key, (self.mixture, *noise.shape[:-1], self.mixing_noise))
        mixing = jnp.concatenate([noise[None, ..., : self.mixing_noise], others])
        mean, log_deviation = self._moments(frozen, obs, mixing, jnp)
        components = normal_log_prob((raw - mean) * jnp.exp(-log_deviation)) - log_deviation.sum(-1)
        log_prob = jax.nn.logsumexp(components, axis=0) - jnp.log(self.mixture + 1.0) - squash_log_det(raw)
        return Actions(jnp.tanh(raw), log_prob)

    def _raw(self, network: Network, obs: Array, noise: Array, xp: Any) -> Array:
        mean, log_deviation = self._moments(network, obs, noise[..., : self.mixing_noise], xp)
        return mean + xp.exp(log_deviation) * noise[..., self.mixing_noise :]

    def _moments(self, network: Network, obs: Array, mixing: Array, xp: Any) -> tuple[Array, Array]:
        output = apply(network.params, obs, mixing, xp)
        size = output.shape[-1] // 2
        return output[..., :size], xp.clip(output[..., size:], *LOG_DEVIATION)
