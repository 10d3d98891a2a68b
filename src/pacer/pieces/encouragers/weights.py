"""The encourager's coefficient: fixed, or a share of the force with which the value pulls at the actions."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from pacer.pieces.encouragers.base import Encourager, Nothing, Seen
from pacer.pieces.piece import Piece, name_of
from pacer.pieces.types import Array, Space

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Weight(Piece):
    def check(self, recipe: "Recipe") -> None:
        if isinstance(recipe.encourager, Nothing) and self != Fixed(0.0):
            raise ValueError(f"weight {self} has no encourager to weigh: use Fixed(0.0), or an encourager")

    @abstractmethod
    def init(self, encourager: Encourager, space: Space) -> Any: ...

    @abstractmethod
    def value(self, state: Any) -> Array: ...

    @abstractmethod
    def update(self, state: Any, seen: Seen) -> Any:
        """One step, after an actor update that saw this."""

    def end_block(self, state: Any) -> Any:
        """Once per block of updates."""
        return state

    def rescaled(self, state: Any, factor: Array) -> Any:
        """The state where returns are `factor` times as large; weights that are told by their size stay as they are."""
        return state

    @abstractmethod
    def metrics(self, state: Any) -> dict[str, Array]: ...


@dataclass(frozen=True)
class Fixed(Weight):
    """A constant weight."""

    weight: float = 0.01

    def init(self, encourager: Encourager, space: Space) -> Any:
        return ()

    def value(self, state: Any) -> Array:
        return jnp.asarray(self.weight)

    def update(self, state: Any, seen: Seen) -> Any:
        return state

    def metrics(self, state: Any) -> dict[str, Array]:
        return {"weight": self.value(state)} if self.weight else {}  # a weight of nothing is no figure


@dataclass(frozen=True)
class Balanced(Weight):
    """A share of the force with which the value pulls at the actions, moved until they are spread as wanted.

    What decides between a point and a diverse policy is the penalty's pull relative to the value's, on every task and
    in every unit of reward.
    """

    spread: float = 0.5
    """Wanted width of the policy, as its encourager tells it, relative to the uniform's."""
    initial: float = 0.2
    """First share; it and its range are for distances."""
    range: tuple[float, float] = (0.02, 2.0)
    step: float = 1e-3
    """Largest change of the logarithm of the share per actor update."""
    rate: float = 0.005
    """Pace of the average of the force."""

    def __post_init__(self) -> None:
        low, high = self.range
        if not 0 < low <= self.initial <= high:
            raise ValueError(f"share {self.initial} in {self.range}: expected 0 < low <= initial <= high")
        if self.spread <= 0:
            raise ValueError(f"spread is {self.spread}: expected a number above 0 (a uniform policy has 1)")

    def check(self, recipe: "Recipe") -> None:
        super().check(recipe)
        if recipe.encourager.samples < 2:
            raise ValueError(f"Balanced needs a sample-based encourager, not {name_of(recipe.encourager)}: use Dual")

    def init(self, encourager: Encourager, space: Space) -> Any:
        log_share = jnp.log(jnp.asarray(self.initial, jnp.float32))
        return {"log": log_share, "force": jnp.zeros(()), "updates": jnp.zeros(())}

    def value(self, state: Any) -> Array:
        return jnp.exp(state["log"]) * state["force"]

    def update(self, state: Any, seen: Seen) -> Any:
        step = self.step * jnp.clip((self.spread - seen.spread) / self.spread, -1.0, 1.0)
        return {
            "log": jnp.clip(state["log"] + step, *jnp.log(jnp.asarray(self.range))),
            **averaged(state, seen.force, self.rate),
        }

    def rescaled(self, state: Any, factor: Array) -> Any:
        return {**state, "force": factor * state["force"]}

    def metrics(self, state: Any) -> dict[str, Array]:
        return {"weight": self.value(state), "share": jnp.exp(state["log"])}


def averaged(state: dict[str, Any], force: Array, rate: float) -> dict[str, Any]:
    """The running average of the force, a plain mean at first, and how many updates it has seen."""
    updates = state["updates"] + 1
    return {"force": state["force"] + jnp.maximum(rate, 1 / updates) * (force - state["force"]), "updates": updates}
