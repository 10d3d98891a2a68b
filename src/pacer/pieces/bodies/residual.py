"""Residual blocks with normalisation, the body of SimBa and BRO: x + W2 relu(W1 norm(x)), and a last norm."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from pacer.pieces.bodies.base import Body
from pacer.pieces.bodies.dense import dense, dense_init, split_dense, split_init
from pacer.pieces.bodies.norms import LayerNorm, Norm
from pacer.pieces.types import Array, Network


@dataclass(frozen=True)
class Residual(Body):
    """A linear layer into `width` features, then blocks that add to them."""

    width: int = 256
    blocks: int = 1
    expansion: int = 4
    """Hidden units of a block, in widths."""
    norm: Norm = LayerNorm()

    def __post_init__(self) -> None:
        if min(self.width, self.blocks, self.expansion) < 1:
            raise ValueError(f"{self}: expected width, blocks and expansion of 1 or more")

    @property
    def widths(self) -> tuple[int, int]:
        return self.width, self.width

    def init(self, key: Array, observation: int, extra: int) -> Network:
        first_key, *keys = jax.random.split(key, 1 + 2 * self.blocks)
        inner = self.expansion * self.width
        norms = [self.norm.init(self.width) for _ in range(self.blocks + 1)]
        params = {
            "first": split_init(first_key, observation, extra, self.width),
            "blocks": [
                {"up": dense_init(up, self.width, inner), "down": dense_init(down, inner, self.width)}
                for up, down in zip(keys[::2], keys[1::2], strict=True)
            ],
            "norms": [norm.params for norm in norms],
        }
        return Network(params, [norm.stats for norm in norms])

    def enter(
        self, network: Network, obs: Array, extra: Array | None, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        return split_dense(network.params["first"], obs, extra), network.stats

    def refine(self, network: Network, x: Array, xp: Any = jnp, training: bool = False) -> tuple[Array, Any]:
        stats = []
        norms = [Network(*pair) for pair in zip(network.params["norms"], network.stats, strict=True)]
        for block, norm in zip(network.params["blocks"], norms[:-1], strict=True):
            normed, norm_stats = self.norm.apply(norm, x, xp, training)
            x = x + dense(block["down"], xp.maximum(dense(block["up"], normed), 0.0))
            stats.append(norm_stats)
        x, norm_stats = self.norm.apply(norms[-1], x, xp, training)
        return x, [*stats, norm_stats]
