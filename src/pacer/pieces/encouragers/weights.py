"""The encourager's coefficient: fixed, or the multiplier of a bound on the penalty.

SAC's temperature and PACER's adaptive weight are the same object: gradient descent on log_weight * (bound - penalty)
raises the weight while the penalty exceeds its bound.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from pacer.pieces.encouragers.base import Encourager, Nothing, Seen, penalty_limits
from pacer.pieces.encouragers.repulsion import Repulsion
from pacer.pieces.optimisers import Adam, Optimiser
from pacer.pieces.piece import Piece, name_of
from pacer.pieces.sizes import check_positive
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


class Multiplier(Weight):
    """A weight that holds the penalty at a bound."""

    initial: float
    optimiser: Optimiser

    def __post_init__(self) -> None:
        check_positive(self, "initial")

    @abstractmethod
    def bound_on(self, encourager: Encourager, space: Space) -> Any:
        """What the penalty is held at."""

    def init(self, encourager: Encourager, space: Space) -> Any:
        bound = jnp.asarray(self.bound_on(encourager, space), jnp.float32)
        return {**start(self.initial, self.optimiser), "bound": bound}

    def value(self, state: Any) -> Array:
        return jnp.exp(state["log"])

    def update(self, state: Any, seen: Seen) -> Any:
        return descend(state, seen.penalty, self.optimiser)

    def rescaled(self, state: Any, factor: Array) -> Any:
        return {**state, "log": state["log"] + jnp.log(factor)}

    def metrics(self, state: Any) -> dict[str, Array]:
        return {"weight": self.value(state), "bound": state["bound"]}


@dataclass(frozen=True)
class Dual(Multiplier):
    """A weight that holds the penalty at a bound of `bound + bound_per_dimension * A`."""

    initial: float = 1.0
    bound: float = 0.0
    bound_per_dimension: float = 0.0
    optimiser: Optimiser = Adam()

    def check(self, recipe: "Recipe") -> None:
        super().check(recipe)
        if self.bound_per_dimension and recipe.encourager.measures == "distance":
            raise ValueError(
                f"a bound_per_dimension of {self.bound_per_dimension} is one on a log-density, and "
                f"{name_of(recipe.encourager)} is a distance: use a weight that goes with it, such as Balanced, "
                "MovingDual or Fixed"
            )

    def bound_on(self, encourager: Encourager, space: Space) -> Any:
        return self.bound + self.bound_per_dimension * space.action


@dataclass(frozen=True)
class WidthDual(Multiplier):
    """A weight that holds the mean log-distance of actions at that of a normal policy of this width."""

    initial: float = 0.01
    width: float = 0.15
    optimiser: Optimiser = Adam()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "width")

    def check(self, recipe: "Recipe") -> None:
        super().check(recipe)
        if not isinstance(recipe.encourager, Repulsion):
            raise ValueError(
                f"WidthDual knows the bound of Repulsion only, not that of {name_of(recipe.encourager)}: choose a "
                "weight that goes with it, such as Fixed, Dual or Balanced"
            )

    def bound_on(self, encourager: Encourager, space: Space) -> Any:
        assert isinstance(encourager, Repulsion)
        return encourager.of_normal(self.width, space)


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
        updates = state["updates"] + 1
        rate = jnp.maximum(self.rate, 1 / updates)  # a plain mean at first
        step = self.step * jnp.clip((self.spread - seen.spread) / self.spread, -1.0, 1.0)
        return {
            "log": jnp.clip(state["log"] + step, *jnp.log(jnp.asarray(self.range))),
            "force": state["force"] + rate * (seen.force - state["force"]),
            "updates": updates,
        }

    def rescaled(self, state: Any, factor: Array) -> Any:
        return {**state, "force": factor * state["force"]}

    def metrics(self, state: Any) -> dict[str, Array]:
        return {"weight": self.value(state), "share": jnp.exp(state["log"])}


@dataclass(frozen=True)
class MovingDual(Weight):
    """A weight kept in a range, whose bound yields when the weight cannot hold it (the paper's appendix C).

    The weight is clipped to its range: left free, it drifts away while the bound follows, and then dies.
    """

    initial: float = 1.0
    range: tuple[float, float] = (0.01, 2.0)
    step: float = 0.01
    """How far the bound moves per block while the weight sits at an end of its range."""
    slack: float = 0.3
    """Lowest bound, on the way from a uniform policy's penalty (0) to that of one that plays the centre (1)."""
    optimiser: Optimiser = Adam()

    def __post_init__(self) -> None:
        low, high = self.range
        if not 0 < low <= self.initial <= high:
            raise ValueError(
                f"weight range {self.range} with initial weight {self.initial}: expected 0 < low <= initial <= high"
            )

    def check(self, recipe: "Recipe") -> None:
        super().check(recipe)
        if recipe.encourager.samples < 2:
            raise ValueError(f"MovingDual needs a sample-based encourager, not {name_of(recipe.encourager)}: use Dual")

    def init(self, encourager: Encourager, space: Space) -> Any:
        floor, centre, corner = penalty_limits(encourager, space)
        lowest = floor + self.slack * (centre - floor)
        return {**start(self.initial, self.optimiser), "bound": lowest, "lowest": lowest, "highest": corner}

    def value(self, state: Any) -> Array:
        return jnp.exp(state["log"])

    def update(self, state: Any, seen: Seen) -> Any:
        state = descend(state, seen.penalty, self.optimiser)
        return {**state, "log": jnp.clip(state["log"], *jnp.log(jnp.asarray(self.range)))}

    def end_block(self, state: Any) -> Any:
        low, high = jnp.log(jnp.asarray(self.range))
        direction = jnp.where(state["log"] >= high, 1.0, 0.0) - jnp.where(state["log"] <= low, 1.0, 0.0)
        bound = jnp.clip(state["bound"] + self.step * direction, state["lowest"], state["highest"])
        return {**state, "bound": bound}

    def metrics(self, state: Any) -> dict[str, Array]:
        return {"weight": self.value(state), "bound": state["bound"]}


def start(weight: float, optimiser: Optimiser) -> dict[str, Any]:
    """A log-weight and its optimiser's state, of the types they keep: a weakly typed one would be compiled anew."""
    log_weight = jnp.log(jnp.asarray(weight, jnp.float32))
    return {"log": log_weight, "optimiser": optimiser.transform().init(log_weight)}


def descend(state: dict[str, Any], penalty: Array, optimiser: Optimiser) -> dict[str, Any]:
    """One step of the log-weight on log_weight * (bound - penalty)."""
    step, optimiser_state = optimiser.transform().update(state["bound"] - penalty, state["optimiser"], state["log"])
    return {**state, "log": state["log"] + step, "optimiser": optimiser_state}
