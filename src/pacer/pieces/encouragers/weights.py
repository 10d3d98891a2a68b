"""The encourager's coefficient: fixed, or the multiplier of a bound on the penalty.

SAC's temperature and PACER's adaptive weight are the same object: gradient descent on log_weight * (bound - penalty)
raises the weight while the penalty exceeds its bound.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import optax

from pacer.pieces.encouragers.base import Encourager, penalty_limits
from pacer.pieces.types import Array, Space


class Weight(ABC):
    @abstractmethod
    def init(self, encourager: Encourager, space: Space) -> Any: ...

    @abstractmethod
    def value(self, state: Any) -> Array: ...

    @abstractmethod
    def update(self, state: Any, penalty: Array) -> Any:
        """One step, after an actor update that saw this mean penalty."""

    @abstractmethod
    def end_block(self, state: Any) -> Any:
        """Once per block of updates."""

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

    def update(self, state: Any, penalty: Array) -> Any:
        return state

    def end_block(self, state: Any) -> Any:
        return state

    def metrics(self, state: Any) -> dict[str, Array]:
        return {"weight": self.value(state)}


@dataclass(frozen=True)
class Dual(Weight):
    """A weight that holds the penalty at a bound of `bound + bound_per_dimension * A`."""

    initial: float = 1.0
    bound: float = 0.0
    bound_per_dimension: float = 0.0
    learning_rate: float = 3e-4

    def init(self, encourager: Encourager, space: Space) -> Any:
        log_weight = jnp.log(self.initial)
        bound = jnp.asarray(self.bound + self.bound_per_dimension * space.action)
        return {"log": log_weight, "optimiser": optax.adam(self.learning_rate).init(log_weight), "bound": bound}

    def value(self, state: Any) -> Array:
        return jnp.exp(state["log"])

    def update(self, state: Any, penalty: Array) -> Any:
        return descend(state, penalty, self.learning_rate)

    def end_block(self, state: Any) -> Any:
        return state

    def metrics(self, state: Any) -> dict[str, Array]:
        return {"weight": self.value(state), "bound": state["bound"]}


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
    learning_rate: float = 3e-4

    def __post_init__(self) -> None:
        low, high = self.range
        if not 0 < low <= self.initial <= high:
            raise ValueError(
                f"weight range {self.range} with initial weight {self.initial}: expected 0 < low <= initial <= high"
            )

    def init(self, encourager: Encourager, space: Space) -> Any:
        log_weight = jnp.log(self.initial)
        floor, centre, corner = penalty_limits(encourager, space)
        lowest = floor + self.slack * (centre - floor)
        return {
            "log": log_weight,
            "optimiser": optax.adam(self.learning_rate).init(log_weight),
            "bound": lowest,
            "lowest": lowest,
            "highest": corner,
        }

    def value(self, state: Any) -> Array:
        return jnp.exp(state["log"])

    def update(self, state: Any, penalty: Array) -> Any:
        state = descend(state, penalty, self.learning_rate)
        return {**state, "log": jnp.clip(state["log"], *jnp.log(jnp.asarray(self.range)))}

    def end_block(self, state: Any) -> Any:
        low, high = jnp.log(jnp.asarray(self.range))
        direction = jnp.where(state["log"] >= high, 1.0, 0.0) - jnp.where(state["log"] <= low, 1.0, 0.0)
        bound = jnp.clip(state["bound"] + self.step * direction, state["lowest"], state["highest"])
        return {**state, "bound": bound}

    def metrics(self, state: Any) -> dict[str, Array]:
        return {"weight": self.value(state), "bound": state["bound"]}


def descend(state: Any, penalty: Array, learning_rate: float) -> Any:
    """One Adam step of the log-weight on log_weight * (bound - penalty)."""
    step, optimiser = optax.adam(learning_rate).update(state["bound"] - penalty, state["optimiser"])
    return {**state, "log": state["log"] + step, "optimiser": optimiser}
