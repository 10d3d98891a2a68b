"""How parameters follow their gradients."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import jax
import optax

from pacer.pieces.piece import Piece


class Optimiser(Piece):
    @abstractmethod
    def transform(self) -> optax.GradientTransformation:
        """The optimiser as Optax knows it."""


def _check_adam(learning_rate: float, momentum: float, memory: float) -> None:
    if learning_rate <= 0:
        raise ValueError(f"learning_rate is {learning_rate}: expected a number above 0")
    if not (0 <= momentum < 1 and 0 <= memory < 1):
        raise ValueError(f"momentum is {momentum} and memory {memory}: expected 0 to below 1")


@dataclass(frozen=True)
class Adam(Optimiser):
    """Steps of one learning rate, scaled by running moments of the gradient."""

    traced: ClassVar[tuple[str, ...]] = ("learning_rate",)

    learning_rate: float = 3e-4
    momentum: float = 0.9
    memory: float = 0.999
    """Decay of the squared gradients' average."""

    def __post_init__(self) -> None:
        _check_adam(self.learning_rate, self.momentum, self.memory)

    def transform(self) -> optax.GradientTransformation:
        return optax.adam(self.learning_rate, self.momentum, self.memory)


@dataclass(frozen=True)
class AdamW(Optimiser):
    """Adam whose parameters also shrink by `decay` times the learning rate per step."""

    traced: ClassVar[tuple[str, ...]] = ("learning_rate", "decay")

    learning_rate: float = 3e-4
    decay: float = 1e-2
    momentum: float = 0.9
    memory: float = 0.999

    def __post_init__(self) -> None:
        _check_adam(self.learning_rate, self.momentum, self.memory)

    def transform(self) -> optax.GradientTransformation:
        return optax.adamw(self.learning_rate, self.momentum, self.memory, weight_decay=self.decay)


@dataclass(frozen=True)
class Clipped(Optimiser):
    """Another optimiser, which sees gradients of at most this norm."""

    optimiser: Optimiser = Adam()
    norm: float = 1.0

    def __post_init__(self) -> None:
        if self.norm <= 0:
            raise ValueError(f"the norm at which gradients are clipped is {self.norm}: expected a number above 0")

    def transform(self) -> optax.GradientTransformation:
        return optax.chain(optax.clip_by_global_norm(self.norm), self.optimiser.transform())


@dataclass(frozen=True)
class Scheduled(Optimiser):
    """Another optimiser, whose steps shrink to a `final` share over `updates` updates of its network."""

    optimiser: Optimiser = Adam()
    updates: int = 1_000_000
    final: float = 0.1
    shape: Literal["linear", "cosine"] = "linear"

    def __post_init__(self) -> None:
        if self.updates < 1 or not 0 <= self.final <= 1:
            raise ValueError(f"a schedule over {self.updates} updates to {self.final}: expected 1 or more, and 0 to 1")

    def transform(self) -> optax.GradientTransformation:
        if self.shape == "linear":
            share = optax.linear_schedule(1.0, self.final, self.updates)
        else:
            share = optax.cosine_decay_schedule(1.0, self.updates, self.final)
        return optax.chain(self.optimiser.transform(), optax.scale_by_schedule(share))


def steeper(state: Any, factors: Any) -> Any:
    """What Adam would remember had its gradients been so many times as large, parameter by parameter.

    What other transforms remember stays as it is.
    """

    def scaled(moments: Any, power: int) -> Any:
        # Parameters that another optimiser moves are one masked leaf here, whatever they are there.
        def scale(moment: Any, factor: Any) -> Any:
            return moment if isinstance(moment, optax.MaskedNode) else moment * factor**power

        return jax.tree.map(scale, moments, factors, is_leaf=lambda x: isinstance(x, optax.MaskedNode))

    def remembered(part: Any) -> Any:
        if not isinstance(part, optax.ScaleByAdamState):
            return part
        return part._replace(mu=scaled(part.mu, 1), nu=scaled(part.nu, 2))

    return jax.tree.map(remembered, state, is_leaf=lambda x: isinstance(x, optax.ScaleByAdamState))
