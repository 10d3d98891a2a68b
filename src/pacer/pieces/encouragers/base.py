"""What every encourager offers: a penalty that is small when the policy's actions are diverse."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from pacer.pieces.encouragers.distances import spread_of
from pacer.pieces.piece import Piece, name_of
from pacer.pieces.types import Actions, Array, Space

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Seen(NamedTuple):
    """What an actor update saw, as means over its states."""

    penalty: Array
    force: Array
    """Norm of the slope of the value at the action samples."""
    spread: Array
    """Width of the policy in a state, relative to a uniform one."""


class Encourager(Piece):
    measures: ClassVar[str]
    """What the penalty is, as the logs call it: a distance (which may be of any sign), or a log-density."""

    @property
    @abstractmethod
    def samples(self) -> int:
        """Actions it looks at per state. With 1, it looks at the actions that the critic values, in every state."""

    def count(self, space: Space) -> int:
        """The same for actions of this size, for encouragers that need more in more dimensions."""
        return self.samples

    @property
    @abstractmethod
    def states(self) -> int:
        """Rows of the batch it looks at when `samples` is more than 1."""

    @abstractmethod
    def penalty(self, actions: Actions, key: Array) -> Array:
        """Penalty (B,) of actions (N, B, A)."""

    def spread(self, actions: Actions, penalty: Array) -> Array:
        """How wide the policy is, of which it saw these actions: next to 0 for a point, 1 for the uniform."""
        return spread_of(actions.action)

    def metrics(self, seen: Seen) -> dict[str, Array]:
        """What the logs tell of an actor update."""
        return {self.measures: seen.penalty}


class SampleEncourager(Encourager):
    """An encourager that compares several actions of a state with each other, or with a reference."""

    measures: ClassVar[str] = "distance"

    def metrics(self, seen: Seen) -> dict[str, Array]:
        return {self.measures: seen.penalty, "spread": seen.spread}

    def check(self, recipe: "Recipe") -> None:
        if self.samples < 2:
            raise ValueError(
                f"{name_of(self)} with {self.samples} sample: it compares actions of one state with each other; "
                "expected 2 or more"
            )
        if not recipe.actor.has_noise:
            raise ValueError(
                f"{name_of(self)} encourages the actions of a state to differ, and those of {name_of(recipe.actor)} "
                "are one: use Nothing() and Fixed(0.0), or an actor that has noise"
            )
        if recipe.backup.penalty_in_return:
            raise ValueError(
                f"{name_of(self)} compares samples of a state, and a penalty in the return would take as many in every "
                "next one: use Entropy, or penalty_in_return=False"
            )
        if self.states < 1:
            raise ValueError(f"the encourager looks at {self.states} states of a batch: expected 1 or more")


@dataclass(frozen=True)
class Nothing(Encourager):
    """No encouragement: the actor only follows the value."""

    measures: ClassVar[str] = "distance"
    samples: ClassVar[int] = 1
    states: ClassVar[int] = 0

    def penalty(self, actions: Actions, key: Array) -> Array:
        return jnp.zeros(actions.action.shape[1])

    def metrics(self, seen: Seen) -> dict[str, Array]:
        return {}


def penalty_limits(encourager: Encourager, space: Space) -> tuple[Array, Array, Array]:
    """Mean penalty of a uniform policy, of the centre and of a corner, as far as its samples show them."""
    policy_key, reference_key = jax.random.split(jax.random.key(0))
    shape = (encourager.count(space), 256, space.action)
    uniform = jax.random.uniform(policy_key, shape, minval=-1.0, maxval=1.0)
    policies = jnp.stack([uniform, jnp.zeros(shape), jnp.ones(shape)])
    # A loop, since the penalty is compiled once that way: else it takes longer than the networks.
    floor, centre, corner = jax.lax.map(lambda p: encourager.penalty(Actions(p, None), reference_key).mean(), policies)
    return floor, centre, corner
