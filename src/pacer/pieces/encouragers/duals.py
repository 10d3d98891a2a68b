"""Weights that are the multiplier of a bound on the penalty.

SAC's temperature and PACER's adaptive weight are the same object: gradient descent on log_weight * (bound - penalty)
raises the weight while the penalty exceeds its bound.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp

from pacer.pieces.encouragers.base import Encourager, Seen, penalty_limits
from pacer.pieces.encouragers.repulsion import Repulsion
from pacer.pieces.encouragers.weights import Weight, averaged
from pacer.pieces.optimisers import Adam, Optimiser
from pacer.pieces.piece import name_of
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Array, Space

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


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
class FlooredDual(Dual):
    """A dual that does not fall below the lesser of a share of the force with which the value pulls, and a constant.

    While actions are more diverse than asked for, a dual sinks, however little its task punishes diversity: on Ant to
    next to nothing, where policies learn more while they are wide. A share of the force lets policies narrow where one
    action changes little; the constant ends the floor where forces are large, as they grow with returns.
    """

    share: float = 0.1
    """Of the force; by itself the dual rests at 0.005 (Ant) to 0.05 (cars) of it."""
    most: float = 0.2
    """Highest floor, in units of return."""
    rate: float = 0.005
    """Pace of the average of the force."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "share", "most", "rate")

    def init(self, encourager: Encourager, space: Space) -> Any:
        return {**super().init(encourager, space), "force": jnp.zeros(()), "updates": jnp.zeros(())}

    def update(self, state: Any, seen: Seen) -> Any:
        state = {**super().update(state, seen), **averaged(state, seen.force, self.rate)}
        floor = jnp.minimum(self.share * state["force"], self.most)
        return {**state, "log": jnp.maximum(state["log"], jnp.log(floor))}

    def rescaled(self, state: Any, factor: Array) -> Any:
        return {**super().rescaled(state, factor), "force": factor * state["force"]}


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
