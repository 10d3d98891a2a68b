"""What every actor offers: a map from standard normal noise to actions in [-1, 1]^A."""

from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from pacer.pieces.piece import Piece
from pacer.pieces.types import Actions, Array, Network, Space


class Actor(Piece):
    has_density: ClassVar[bool] = False
    """Whether `sample` also gives the log-density of its actions, or a bound of it."""
    has_noise: ClassVar[bool] = True
    """Whether the actions of a state differ."""

    @abstractmethod
    def noise_size(self, space: Space) -> int:
        """How many standard normals make one action."""

    @abstractmethod
    def init(self, key: Array, space: Space) -> Network: ...

    @abstractmethod
    def transform(
        self, network: Network, obs: Array, noise: Array, xp: Any = jnp, training: bool = False
    ) -> tuple[Array, Any]:
        """Actions before tanh (..., B, A) for observations (B, D) and noise (..., B, E); statistics after them."""

    def push(self, network: Network, obs: Array, noise: Array, xp: Any = jnp) -> Array:
        """Actions (..., B, A) as the policy plays them."""
        pushed: Array = xp.tanh(self.transform(network, obs, noise, xp)[0])
        return pushed

    def sample(
        self, network: Network, obs: Array, noise: Array, key: Array, training: bool = False
    ) -> tuple[Actions, Any]:
        """Actions with their log-density where there is one; statistics after them."""
        raw, stats = self.transform(network, obs, noise, jnp, training)
        return Actions(jnp.tanh(raw), None, raw), stats

    def greedy(self, network: Network, obs: Array, space: Space, xp: Any = jnp) -> Array:
        """The one action (B, A) that stands for the policy when it is judged: here, that of zero noise."""
        return self.push(network, obs, xp.zeros((*obs.shape[:-1], self.noise_size(space)), xp.float32), xp)

    def noise(self, rng: Any, space: Space, shape: tuple[int, ...]) -> Array:
        """Standard normals for `shape` actions, from a NumPy generator or a JAX key."""
        shape = (*shape, self.noise_size(space))
        if isinstance(rng, np.random.Generator):
            return rng.standard_normal(shape, np.float32)
        return jax.random.normal(rng, shape)
