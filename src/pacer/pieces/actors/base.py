"""What every actor offers: a map from standard normal noise to actions in [-1, 1]^A."""

from abc import ABC, abstractmethod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pacer.pieces.types import Actions, Array, Network, Space


class Actor(ABC):
    @abstractmethod
    def noise_size(self, space: Space) -> int:
        """How many standard normals make one action."""

    @abstractmethod
    def init(self, key: Array, space: Space) -> Network: ...

    @abstractmethod
    def push(self, network: Network, obs: Array, noise: Array, xp: Any = jnp) -> Array:
        """Actions (..., B, A) for observations (B, D) and noise (..., B, E)."""

    @abstractmethod
    def greedy(self, network: Network, obs: Array, space: Space, xp: Any = jnp) -> Array:
        """The one action (B, A) that stands for the policy when it is judged."""


class DensityActor(Actor):
    """An actor whose log-density is known, or bounded."""

    @abstractmethod
    def density(self, network: Network, obs: Array, noise: Array, key: Array) -> Actions: ...


def draw_noise(rng: Any, actor: Actor, space: Space, shape: tuple[int, ...]) -> Array:
    """Standard normals for `shape` actions, from a NumPy generator or a JAX key."""
    shape = (*shape, actor.noise_size(space))
    if isinstance(rng, np.random.Generator):
        return rng.standard_normal(shape, np.float32)
    return jax.random.normal(rng, shape)


def sample(actor: Actor, network: Network, obs: Array, noise: Array, key: Array) -> Actions:
    """Actions with their log-density where the actor has one."""
    if isinstance(actor, DensityActor):
        return actor.density(network, obs, noise, key)
    return Actions(actor.push(network, obs, noise), None)


def without_noise(actor: Actor, network: Network, obs: Array, space: Space, xp: Any) -> Array:
    """The action of zero noise."""
    return actor.push(network, obs, xp.zeros((*obs.shape[:-1], actor.noise_size(space)), xp.float32), xp)
