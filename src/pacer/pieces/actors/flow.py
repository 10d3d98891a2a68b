"""The flow policy of LSP: noise through invertible coupling layers (RealNVP) conditioned on the state, then tanh."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.actors.base import Actor
from pacer.pieces.actors.squash import normal_log_prob, squash_log_det
from pacer.pieces.bodies.base import Body, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.types import Actions, Array, Network, Space

SCALE_LIMIT = 2.0  # log-scales are squashed into +-2: unbounded ones overflow early in training


@dataclass(frozen=True)
class Flow(Actor):
    """Each layer scales and shifts one half of the action by functions of the other half and the state."""

    has_density: ClassVar[bool] = True
    body: Body = MLP()
    layers: int = 2
    coupling: int = 64
    """Hidden units of a coupling layer."""
    embedding: int = 32
    """Features of the state that all coupling layers see (2A in the authors' code, too few for one dimension)."""

    def noise_size(self, space: Space) -> int:
        return space.action

    def init(self, key: Array, space: Space) -> Network:
        embedding_key, *keys = jax.random.split(key, 1 + self.layers)
        embedding = headed_init(embedding_key, self.body, space.observation, 0, self.embedding)
        layers = [self._init_layer(k, *halves(space.action, i)) for i, k in enumerate(keys)]
        return Network({"embedding": embedding.params, "layers": layers}, embedding.stats)

    def transform(
        self, network: Network, obs: Array, noise: Array, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        raw, _, stats = self.flow(network, obs, noise, xp, training)
        return raw, stats

    def sample(
        self, network: Network, obs: Array, noise: Array, key: Array, training: bool = False
    ) -> tuple[Actions, Any]:
        raw, log_det, stats = self.flow(network, obs, noise, jnp, training)
        log_prob = normal_log_prob(noise) - log_det - squash_log_det(raw)
        return Actions(jnp.tanh(raw), log_prob, raw), stats

    def flow(
        self, network: Network, obs: Array, noise: Array, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Array, Any]:
        """The raw action before tanh, the log-determinant of noise to raw action, and the statistics after them."""
        state, stats = self._embed(network, obs, xp, training)
        raw, log_det = noise, xp.zeros(())
        for number, layer in enumerate(network.params["layers"]):
            kept, moved = split(raw, number)
            log_scale, shift = self._coupling(layer, kept, state, xp)
            raw = join(kept, moved * xp.exp(log_scale) + shift, number, xp)
            log_det = log_det + log_scale.sum(-1)
        return raw, log_det, stats

    def _embed(self, network: Network, obs: Array, xp: Any, training: bool) -> tuple[Array, Any]:
        embedding = Network(network.params["embedding"], network.stats)
        features, stats = headed(self.body, embedding, obs, None, xp, training)
        return xp.maximum(features, 0.0), stats

    @property
    def _coupling_body(self) -> Body:
        return MLP((self.coupling,))

    def _init_layer(self, key: Array, kept: int, moved: int) -> Any:
        return headed_init(key, self._coupling_body, self.embedding, kept, 2 * moved).params

    def _coupling(self, layer: Any, kept: Array, state: Array, xp: Any) -> tuple[Array, Array]:
        """Log-scale and shift of the moved half."""
        output, _ = headed(self._coupling_body, Network(layer, [()]), state, kept, xp)
        size = output.shape[-1] // 2
        return SCALE_LIMIT * xp.tanh(output[..., :size] / SCALE_LIMIT), output[..., size:]


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
    joined: Array = xp.concatenate([moved, kept] if number % 2 == 0 else [kept, moved], axis=-1)
    return joined
