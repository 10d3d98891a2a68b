"""The push-forward policy a = tanh(f(s, noise) + skip * noise): any distribution, no density (PACER, PTD3, SQL)."""

from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np

from pacer.pieces.actors.base import Actor
from pacer.pieces.bodies.base import Body, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.sizes import LARGEST
from pacer.pieces.types import Array, Network, Space

PAIRS = 32
"""Greedy play chooses among the actions of so many pairs of noises and one more: of an even number two may tie."""
NEAR = 0.5
"""How far samples count as neighbours, as a share of their mean distance: peaks a little apart are still two."""


@dataclass(frozen=True)
class PushForward(Actor):
    """Noise pushed through a network together with the state."""

    body: Body = MLP()
    noise_power: int = 1
    """Noise dimension as a power of the action dimension: 1 is A, 2 is the A*A of the authors' lineage."""
    skip: float = 0.0
    """First size of a learned skip from the noise to the action before tanh; 0 for none.

    Without one the untrained policy is almost a point: noise is a small part of what enters a wide network.
    """
    greedy_rule: Literal["zero", "medoid", "densest"] = "zero"
    """Greedy play: the action of zero noise; of 65 random noises the action nearest to all others; or of zero noise and
    64 even ones the action with the most neighbours. Of a policy with several modes the first two may lie between."""

    def noise_size(self, space: Space) -> int:
        size = space.action**self.noise_power
        if size > LARGEST:
            raise ValueError(
                f"noise_power is {self.noise_power}, which makes {size} noises: expected {LARGEST} at most"
            )
        return size

    def init(self, key: Array, space: Space) -> Network:
        network = headed_init(key, self.body, space.observation, self.noise_size(space), space.action)
        if self.skip:
            network.params["skip"] = jnp.full(space.action, self.skip, jnp.float32)  # of the type it keeps
        return network

    def transform(
        self, network: Network, obs: Array, noise: Array, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        raw, stats = headed(self.body, network, obs, noise, xp, training)
        if self.skip:
            raw = raw + network.params["skip"] * noise[..., : raw.shape[-1]]
        return raw, stats

    def greedy(self, network: Network, obs: Array, space: Space, xp: Any = jnp) -> Array:
        if self.greedy_rule == "zero":
            return super().greedy(network, obs, space, xp)
        candidates = even_noises if self.greedy_rule == "densest" else random_noises
        noise = xp.asarray(candidates(self.noise_size(space)))
        count, size = noise.shape
        noise = noise.reshape(count, *[1] * (obs.ndim - 1), size)
        noise = xp.broadcast_to(noise, (count, *obs.shape[:-1], size))
        actions = self.push(network, obs, noise, xp)
        # Dimension by dimension: all at once would take A times the memory.
        squares = sum((actions[:, None, ..., d] - actions[None, ..., d]) ** 2 for d in range(space.action))
        distances = xp.sqrt(squares)
        if self.greedy_rule == "medoid":
            chosen = distances.sum(0).argmin(0)
        else:
            near = xp.maximum(NEAR * distances.mean((0, 1)), xp.float32(1e-30))  # of a point, any sample will do
            chosen = xp.exp(-distances / near).sum(0).argmax(0)
        action: Array = xp.take_along_axis(actions, chosen[None, ..., None], axis=0)[0]
        return action


@cache
def random_noises(size: int) -> Array:
    return np.random.default_rng(0).standard_normal((2 * PAIRS + 1, size), np.float32)


@cache
def even_noises(size: int) -> Array:
    """Zero noise, and pairs of opposite normals, evenly spread in each dimension (a Latin hypercube).

    Where a policy is symmetric about zero noise, that is then the densest, rather than one of few samples around it,
    which in many dimensions are all far from the middle.
    """
    even = (np.arange(PAIRS) + 0.25) / PAIRS  # opposite ones are at 0.75, so that together they are even, too
    normal = np.array([NormalDist().inv_cdf(share) for share in even])
    half = np.random.default_rng(0).permuted(np.tile(normal, (size, 1)), axis=1).T
    return np.concatenate([np.zeros((1, size)), half, -half]).astype(np.float32)
