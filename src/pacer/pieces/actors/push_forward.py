"""The push-forward policy a = tanh(f(s, noise) + skip * noise): any distribution, no density (PACER, PTD3, SQL)."""

from dataclasses import dataclass
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np

from pacer.pieces.actors.base import Actor
from pacer.pieces.bodies.base import Body, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.types import Array, Network, Space

CANDIDATES = 65  # an odd number: of an even one, the two in the middle of one dimension are a tie for the medoid
NEAR = 0.25
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
    """Greedy play: the action of zero noise, or of 65 fixed samples the one nearest to all others, or the one with the
    most neighbours. Of a policy with several modes the first two may lie between them."""

    def noise_size(self, space: Space) -> int:
        return space.action**self.noise_power

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
        noise = xp.asarray(self.noise(np.random.default_rng(0), space, (CANDIDATES, *[1] * (obs.ndim - 1))))
        noise = xp.broadcast_to(noise, (CANDIDATES, *obs.shape[:-1], noise.shape[-1]))
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
