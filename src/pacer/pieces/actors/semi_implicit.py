"""The semi-implicit policy of IDAC: a Gaussian whose mean and deviation are themselves pushed from noise."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.actors.base import Actor
from pacer.pieces.actors.squash import LOG_DEVIATION, normal_log_prob, squash_log_det
from pacer.pieces.bodies.base import Body, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.types import Actions, Array, Network, Space


@dataclass(frozen=True)
class SemiImplicit(Actor):
    """A mixture of Gaussians without end; its log-density is bounded by a finite mixture."""

    has_density: ClassVar[bool] = True
    body: Body = MLP()
    mixing_noise: int = 5
    """Size of the noise that mixes the Gaussians."""
    mixture: int = 21
    """Gaussians beside the one that made the action, in the bound of its log-density."""

    def noise_size(self, space: Space) -> int:
        return self.mixing_noise + space.action

    def init(self, key: Array, space: Space) -> Network:
        return headed_init(key, self.body, space.observation, self.mixing_noise, 2 * space.action)

    def transform(
        self, network: Network, obs: Array, noise: Array, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        mean, log_deviation, stats = self._moments(network, obs, noise[..., : self.mixing_noise], xp, training)
        return mean + xp.exp(log_deviation) * noise[..., self.mixing_noise :], stats

    def sample(
        self, network: Network, obs: Array, noise: Array, key: Array, training: bool = False
    ) -> tuple[Actions, Any]:
        """log of the mean density over the Gaussian that made the action and `mixture` others.

        The Gaussians are held fixed in the gradient, which goes through the action alone: the score term that is
        left out has mean zero.
        """
        raw, stats = self.transform(network, obs, noise, jnp, training)
        frozen = jax.lax.stop_gradient(network)
        others = jax.random.normal(key, (self.mixture, *noise.shape[:-1], self.mixing_noise))
        mixing = jnp.concatenate([noise[None, ..., : self.mixing_noise], others])
        mean, log_deviation, _ = self._moments(frozen, obs, mixing, jnp, training)
        components = normal_log_prob((raw - mean) * jnp.exp(-log_deviation)) - log_deviation.sum(-1)
        log_prob = jax.nn.logsumexp(components, axis=0) - jnp.log(self.mixture + 1.0) - squash_log_det(raw)
        return Actions(jnp.tanh(raw), log_prob, raw), stats

    def _moments(
        self, network: Network, obs: Array, mixing: Array, xp: Any, training: bool
    ) -> tuple[Array, Array, Any]:
        output, stats = headed(self.body, network, obs, mixing, xp, training)
        size = output.shape[-1] // 2
        return output[..., :size], xp.clip(output[..., size:], *LOG_DEVIATION), stats
