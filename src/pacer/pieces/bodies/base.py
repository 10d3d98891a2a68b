"""What every body offers: features of an observation and a second input, and what is built on them."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from pacer.pieces.bodies.dense import dense, dense_init
from pacer.pieces.piece import Piece
from pacer.pieces.types import Array, Network


class Body(Piece):
    """Hidden layers, in two parts: what the inputs become first, and the features made of that.

    `xp` is `jax.numpy` when learning and `numpy` when acting. With `training`, a body that normalises by running
    statistics uses those of the batch instead; either way the statistics after the call come back beside the features.
    """

    @property
    @abstractmethod
    def widths(self) -> tuple[int, int]:
        """Sizes of what comes out of the two parts."""

    @abstractmethod
    def init(self, key: Array, observation: int, extra: int) -> Network: ...

    @abstractmethod
    def enter(
        self, network: Network, obs: Array, extra: Array | None, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        """First features (..., B, W) of observations (B, D) and extras (..., B, E), or of observations alone."""

    @abstractmethod
    def refine(self, network: Network, x: Array, xp: Any = jnp, training: bool = False) -> tuple[Array, Any]:
        """Features (..., W') of the first ones; statistics are those of `network` but for what this part keeps."""

    def features(
        self, network: Network, obs: Array, extra: Array | None, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        """Both parts in turn."""
        x, stats = self.enter(network, obs, extra, xp, training)
        return self.refine(network._replace(stats=stats), x, xp, training)


def headed_init(key: Array, body: Body, observation: int, extra: int, outputs: int) -> Network:
    """A body and a linear head."""
    body_key, head_key = jax.random.split(key)
    trunk = body.init(body_key, observation, extra)
    return Network({"body": trunk.params, "head": dense_init(head_key, body.widths[1], outputs)}, trunk.stats)


def headed(
    body: Body, network: Network, obs: Array, extra: Array | None, xp: Any = jnp, training: bool = False
) -> tuple[Array, Any]:
    """Outputs (..., B, O) of a body and its head, and the statistics after them."""
    trunk = Network(network.params["body"], network.stats)
    features, stats = body.features(trunk, obs, extra, xp, training)
    return dense(network.params["head"], features), stats


def ensemble_init(key: Array, members: int, init: Callable[[Array], Network]) -> Network:
    """Independent networks of one shape, as one network."""
    networks = [init(k) for k in jax.random.split(key, members)]
    return Network(tuple(n.params for n in networks), tuple(n.stats for n in networks))


def ensemble(network: Network, evaluate: Callable[[Network], tuple[Array, Any]]) -> tuple[Array, Any]:
    """Outputs of all members (M, ...), and their statistics. A loop: on a CPU it beats one stacked product."""
    members = map(Network, network.params, network.stats)
    outputs, stats = zip(*map(evaluate, members), strict=True)
    return jnp.stack(outputs), stats
