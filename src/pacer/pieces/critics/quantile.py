"""The implicit quantile network: z(s, a, level) for any level, by quantile Huber TD learning (PACER, DSAC, IDAC)."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp

from pacer.pieces.critics.base import Critic
from pacer.pieces.critics.levels import draw_levels, quantile_loss
from pacer.pieces.networks import dense, dense_init, first_layer, standardise, trunk, trunk_init
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Quantile(Critic):
    """Cosine features of the level scale the features of (s, a)."""

    distributional: ClassVar[bool] = True
    hidden: tuple[int, ...] = (256, 256)
    levels: int = 32
    members: int = 2
    cosines: int = 64
    merge: Literal["last", "first"] = "last"
    """Where the level enters: after the last hidden layer (one product for all levels) or after the first (DSAC)."""
    gate: Literal["linear", "sigmoid"] = "linear"
    """How the level's features scale: by 1 + x, or by sigmoid(x) (DSAC), which is flat at first and never negative."""
    layer_norm: bool = False
    """Features standardised before each activation, as in DSAC's code (without a learned scale)."""
    shared_levels: bool = True
    """One draw of levels for the whole batch, or one per state: the same expected gradient, six times the cost."""
    level_floor: float = 0.1
    threshold: float = 1.0

    def init(self, key: Array, space: Space) -> Network:
        return Network(tuple(self._init_member(k, space) for k in jax.random.split(key, self.members)))

    def returns(self, network: Network, obs: Array, action: Array, key: Array) -> Returns:
        batch = () if self.shared_levels else obs.shape[:-1]
        level, mass = draw_levels(key, (*batch, self.levels), self.level_floor)
        return Returns(self.at(network, obs, action, level), level, mass)

    def at(self, network: Network, obs: Array, action: Array, level: Array) -> Array:
        """Quantiles (M, ..., B, K) at given levels (K,), (B, K) or (..., B, K)."""
        frequencies = jnp.pi * jnp.arange(1, self.cosines + 1)
        cosines = jnp.cos(level[..., None] * frequencies)
        return jnp.stack([self._member(params, obs, action, cosines) for params in network.params])

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        return quantile_loss(predicted, goal, self.threshold)

    def _init_member(self, key: Array, space: Space) -> dict[str, Any]:
        trunk_key, level_key, head_key = jax.random.split(key, 3)
        width = self.hidden[-1] if self.merge == "last" else self.hidden[0]
        return {
            "trunk": trunk_init(trunk_key, space.observation, space.action, self.hidden),
            "level": dense_init(level_key, self.cosines, width),
            "head": dense_init(head_key, self.hidden[-1], 1),
        }

    def _member(self, params: dict[str, Any], obs: Array, action: Array, cosines: Array) -> Array:
        gate = self._norm(dense(params["level"], cosines))  # (K, W) or (B, K, W)
        gate = 1 + gate if self.gate == "linear" else jax.nn.sigmoid(gate)
        head, bias = params["head"]["weight"][:, 0], params["head"]["bias"][0]
        if self.merge == "last":
            features = trunk(params["trunk"], obs, action, norm=self._norm)
            if gate.ndim == 2:
                return features @ (gate * head).T + bias
            return jnp.einsum("...w,...kw->...k", features, gate * head) + bias
        x = first_layer(params["trunk"], obs, action, norm=self._norm)[..., None, :] * gate
        for layer in params["trunk"]["hidden"]:
            x = jax.nn.relu(self._norm(dense(layer, x)))
        return x @ head + bias

    def _norm(self, x: Array) -> Array:
        return standardise(x) if self.layer_norm else x
