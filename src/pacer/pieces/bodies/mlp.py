"""The multilayer perceptron: linear layers and rectifiers."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from pacer.pieces.bodies.base import Body
from pacer.pieces.bodies.dense import dense, dense_init, split_dense, split_init
from pacer.pieces.bodies.norms import NoNorm, Norm
from pacer.pieces.types import Array, Network


@dataclass(frozen=True)
class MLP(Body):
    """Layers of the given widths, normalised before each rectifier if asked."""

    hidden: tuple[int, ...] = (256, 256)
    norm: Norm = NoNorm()

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1:
            raise ValueError(f"hidden is {self.hidden}: expected at least one layer, each of width 1 or more")

    @property
    def widths(self) -> tuple[int, int]:
        return self.hidden[0], self.hidden[-1]

    def init(self, key: Array, observation: int, extra: int) -> Network:
        first_key, *keys = jax.random.split(key, len(self.hidden))
        norms = [self.norm.init(width) for width in self.hidden]
        params = {
            "first": split_init(first_key, observation, extra, self.hidden[0]),
            "hidden": [dense_init(k, n, m) for k, n, m in zip(keys, self.hidden[:-1], self.hidden[1:], strict=True)],
            "norms": [norm.params for norm in norms],
        }
        return Network(params, [norm.stats for norm in norms])

    def enter(
        self, network: Network, obs: Array, extra: Array | None, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        x = split_dense(network.params["first"], obs, extra)
        x, stats = self._rectified(network, 0, x, xp, training)
        return x, [stats, *network.stats[1:]]

    def refine(self, network: Network, x: Array, xp: Any = jnp, training: bool = False) -> tuple[Array, Any]:
        stats = [network.stats[0]]
        for number, layer in enumerate(network.params["hidden"], start=1):
            x, layer_stats = self._rectified(network, number, dense(layer, x), xp, training)
            stats.append(layer_stats)
        return x, stats

    def _rectified(self, network: Network, number: int, x: Array, xp: Any, training: bool) -> tuple[Array, Any]:
        norm = Network(network.params["norms"][number], network.stats[number])
        x, stats = self.norm.apply(norm, x, xp, training)
        return xp.maximum(x, 0.0), stats
