"""Acting in NumPy with a copy of the actor: faster than a compiled call, and what is exported."""

from typing import NamedTuple

import numpy as np

from pacer.pieces.actors.base import Actor, draw_noise
from pacer.pieces.scaling import Scaling
from pacer.pieces.types import Array, Network, Space


class Policy(NamedTuple):
    """Observation in, action in [-1, 1]^A out; observations may have leading axes."""

    actor: Actor
    space: Space
    network: Network
    scaling: Scaling

    def sampled(self, obs: Array, rng: np.random.Generator) -> Array:
        obs = self.scaling.normalise(obs, np)
        return self.actor.push(self.network, obs, draw_noise(rng, self.actor, self.space, obs.shape[:-1]), np)

    def greedy(self, obs: Array) -> Array:
        return self.actor.greedy(self.network, self.scaling.normalise(obs, np), self.space, np)
