"""What every encourager offers: a penalty that is small when the policy's actions are diverse."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.types import Actions, Array, Space


class Encourager(ABC):
    needs_density: ClassVar[bool]

    @property
    @abstractmethod
    def samples(self) -> int:
        """Actions it looks at per state. With 1, it looks at the actions that the critic values, in every state."""

    @property
    @abstractmethod
    def states(self) -> int:
        """Rows of the batch it looks at when `samples` is more than 1."""

    @abstractmethod
    def penalty(self, actions: Actions, key: Array) -> Array:
        """Penalty (B,) of actions (N, B, A)."""


@dataclass(frozen=True)
class Nothing(Encourager):
    """No encouragement: the actor only follows the value."""

    samples: ClassVar[int] = 1
    states: ClassVar[int] = 0
    needs_density: ClassVar[bool] = False

    def penalty(self, actions: Actions, key: Array) -> Array:
        return jnp.zeros(actions.action.shape[1])


def penalty_limits(encourager: Encourager, space: Space) -> tuple[Array, Array, Array]:
    """Mean penalty of a uniform policy, of the centre and of a corner: what `samples` actions can show at all."""
    policy_key, reference_key = jax.random.split(jax.random.key(0))
    shape = (encourager.samples, 256, space.action)
    uniform = jax.random.uniform(policy_key, shape, minval=-1.0, maxval=1.0)
    policies = (uniform, jnp.zeros(shape), jnp.ones(shape))
    floor, centre, corner = (encourager.penalty(Actions(p, None), reference_key).mean() for p in policies)
    return floor, centre, corner
