"""The flow policy of LSP: noise through invertible coupling layers (RealNVP) conditioned on the state, then tanh."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from pacer.pieces.actors.base import DensityActor, without_noise
from pacer.pieces.actors.squash import normal_log_prob, squash_log_det
from pacer.pieces.networks import apply, network_init
from pacer.pieces.types import Actions, Array, Network, Space

SCALE_LIMIT = 2.0  # log-scales are squashed into +-2: unbounded ones overflow early in training


@dataclass(frozen=True)
class Flow(DensityActor):
    """Each layer scales and shifts one half of the action by functions of the other half and the state."""

    hidden: tuple[int, ...] = (256, 256)
    layers: int = 2
    coupling: int = 64
    """Hidden units of a coupling layer."""
    embedding: int = 32
    """Features of the state that all coupling layers see (2A in the authors' code, too few for one dimension)."""

    def noise_size(self, space: Space) -> int:
        return space.action

    def init(self, key: Array, space: Space) -> Network:
        embedding_key, *keys = jax.random.split(key, 1 + self.layers)
        return Network(
            {
                "embedding": network_init(embedding_key, space.observation, 0, self.hidden, self.embedding),
                "layers": [self._init_layer(k, *halves(space.action, i)) for i, k in enumerate(keys)],
            }
        )

    def push(self, network: Network, obs: Array, noise: Array, xp: Any = jnp) -> Array:
        return xp.tanh(self.transform(network, obs, noise, xp)[0])

    def greedy(self, network: Network, obs: Array, space: Space, xp: Any = jnp) -> Array:
        return without_noise(self, network, obs, space, xp)

    def density(self, network: Network, obs: Array, noise: Array, key: Array) -> Actions:
        raw, log_det = self.transform(network, obs, noise, jnp)
        log_prob = normal_log_prob(noise) - log_det - squash_log_det(raw)
        return Actions(jnp.tanh(raw), log_prob)

    def transform(self, network: Network, obs: Array, noise: Array, xp: Any = jnp) -> tuple[Array, Array]:
        """The raw action before tanh, and the log-determinant of noise to raw action."""
        state = self._embed(network, obs, xp)
        raw, log_det = noise, 0.0
        for number, layer in enumerate(network.params["layers"]):
            kept, moved = split(raw, number)
            log_scale, shift = _coupling(layer, kept, state, xp)
            raw = join(kept, moved * xp.exp(log_scale) + shift, number, xp)
            log_det = log_det + log_scale.sum(-1)
        return raw, log_det

    def invert(self, network: Network, obs: Array, raw: Array) -> Array:
        """The noise that makes a raw action."""
        state = self._embed(network, obs, jnp)
        for number, layer in reversed(list(enumerate(network.params["layers"]))):
            kept, moved = split(raw, number)
            log_scale, shift = _coupling(layer, kept, state, jnp)
            raw = join(kept, (moved - shift) * jnp.exp(-log_scale), number, jnp)
        return raw

    def _embed(self, network: Network, obs: Array, xp: Any) -> Array:
        return xp.maximum(apply(network.params["embedding"], obs, None, xp), 0.0)

    def _init_layer(self, key: Array, kept: int, moved: int) -> dict[str, Any]:
        return network_init(key, self.embedding, kept, (self.coupling,), 2 * moved)


def halves(size: int, number: int) -> tuple[int, int]:
    """How many dimensions layer `number` keeps and moves; one dimension alone is always moved."""
    if size == 1:
        return 0, 1
    first = size // 2
    return (size - first, first) if number % 2 == 0 else (first, size - first)


def split(x: Array, number: int) -> tuple[Array, Array]:
    """Kept and moved part: even layers move the first half, odd ones the second."""
    kept, moved = halves(x.shape[-1], number)
    return (x[..., moved:], x[..., :moved]) if number % 2 == 0 or not kept else (x[..., :kept], x[..., kept:])


def join(kept: Array, moved: Array, number: int, xp: Any) -> Array:
    return xp.concatenate([moved, kept] if number % 2 == 0 else [kept, moved], axis=-1)


def _coupling(layer: dict[str, Any], kept: Array, state: Array, xp: Any) -> tuple[Array, Array]:
    """Log-scale and shift of the moved half."""
    output = apply(layer, state, kept, xp)
    size = output.shape[-1] // 2
    return SCALE_LIMIT * xp.tanh(output[..., :size] / SCALE_LIMIT), output[..., size:]
