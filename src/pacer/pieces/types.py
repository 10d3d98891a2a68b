"""The values that pieces exchange.

Shape letters: B batch, N action samples, A action size, M critic members, K levels.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array | np.ndarray[Any, Any]  # the first in the learner, the second on the host


class Space(NamedTuple):
    """Sizes of the observation and of the action."""

    observation: int
    action: int


class Transition(NamedTuple):
    """One step of experience; leading axes are free. Actions live in [-1, 1]^A."""

    obs: Array
    action: Array
    reward: Array
    next_obs: Array
    discount: Array  # gamma, or 0 where the episode terminated

    @property
    def space(self) -> Space:
        return Space(self.obs.shape[-1], self.action.shape[-1])

    def joined(self, count: Array) -> "Transition":
        """Steps that follow each other (steps, B) as one (B): the discounted rewards of the first `count` (B,) of them,
        1 or more, and what is behind the last of these.

        Steps with a discount of 1 do not count: they fill up for an episode that ended.
        """
        counts = jnp.arange(len(self.discount))[:, None] < count
        discount = jnp.where(counts, self.discount, 1.0)
        passed = jnp.cumprod(discount, axis=0)
        before = jnp.concatenate([jnp.ones_like(passed[:1]), passed[:-1]])
        reward = jnp.where(discount < 1, before * self.reward, 0.0).sum(0)
        behind = jnp.take_along_axis(self.next_obs, count[None, :, None] - 1, axis=0)[0]
        return Transition(self.obs[0], self.action[0], reward, behind, passed[-1])


class Actions(NamedTuple):
    """Samples of a policy: action (N, B, A) and, for policies that have one, log-density (N, B)."""

    action: Array
    log_prob: Array | None
    raw: Array | None = None
    """The actions before tanh, where they come from an actor: at the bounds they tell what rounding hides."""


class Returns(NamedTuple):
    """Atoms of a return: value (..., B, K), level and mass that broadcast with it. A scalar is one atom of mass 1."""

    value: Array
    level: Array
    mass: Array

    def mean(self) -> Array:
        """Means (..., B)."""
        return (self.mass * self.value).sum(-1)

    def at(self, number: int) -> "Returns":
        """The returns at one place of the leading axis, be it of members or of samples."""
        return Returns(*(part[number] if part.ndim == self.value.ndim else part for part in self))


class Network(NamedTuple):
    """Learned parameters, and running statistics for the pieces that keep some (else trees without a leaf)."""

    params: Any
    stats: Any = ()


class Networks(NamedTuple):
    actor: Network
    critic: Network
