"""Values that go with a size or a task rather than with an algorithm."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

from pacer.pieces.backups import SoftMaximum
from pacer.pieces.encouragers.duals import MovingDual
from pacer.pieces.recipe import Recipe

T = TypeVar("T")


@dataclass(frozen=True)
class Size:
    """How large networks and samples are, in every piece that has such a field."""

    hidden: tuple[int, ...]
    levels: int
    samples: int
    batch: int
    warm_up: int
    """Random actions before the policy acts."""

    def apply(self, recipe: Recipe) -> Recipe:
        """The recipe in this size; what it does not leave at its default stays."""
        return filled(recipe, {name: getattr(self, name) for name in _SIZED})


def filled(piece: T, values: Mapping[str, Any]) -> T:
    """The piece, and the pieces in it, with these values in the fields that are at their defaults.

    Of pieces that are not ours, nobody knows what a field of such a name means.
    """
    changes = {}
    for field in fields(piece):  # type: ignore[arg-type]
        value = getattr(piece, field.name)
        if field.name in values and value == field.default and _is_ours(piece, field.name):
            changes[field.name] = values[field.name]
        elif is_dataclass(value) and not isinstance(value, type):
            changes[field.name] = filled(value, values)
    return replace(piece, **changes)  # type: ignore[type-var]


def _is_ours(piece: Any, name: str) -> bool:
    """Whether a field was declared by a class of this package."""
    declared_by = next(kind for kind in type(piece).__mro__ if name in inspect.get_annotations(kind))
    return declared_by.__module__.partition(".")[0] == "pacer"


_SIZED = ("hidden", "levels", "samples", "batch")
SIZES = {
    "small": Size(hidden=(256, 256), levels=32, samples=32, batch=256, warm_up=1_000),
    "paper": Size(hidden=(400, 400), levels=64, samples=100, batch=400, warm_up=10_000),
}


@dataclass(frozen=True)
class Task:
    """What one environment asks for: the range of an adaptive weight, and the scale of its reward in training."""

    initial_weight: float = MovingDual.initial
    weight_range: tuple[float, float] = MovingDual.range
    reward_scale: float = 1.0
    soft_scale: float = 1.0
    """A further reward scale for soft Q-learning, where it stands for the temperature."""

    def apply(self, recipe: Recipe) -> Recipe:
        """The recipe with these values where it leaves its own at their defaults; in return units it needs none."""
        if recipe.return_units:
            return recipe
        weight, scale = recipe.weight, recipe.reward_scale
        if isinstance(weight, MovingDual) and (weight.initial, weight.range) == (MovingDual.initial, MovingDual.range):
            weight = replace(weight, initial=self.initial_weight, range=self.weight_range)
        if scale == Recipe.reward_scale:
            scale = self.reward_scale * (self.soft_scale if isinstance(recipe.backup, SoftMaximum) else 1.0)
        return replace(recipe, weight=weight, reward_scale=scale)


# For the paper's recipes. The authors' settings for MuJoCo, ours for the cars: their rewards are two orders smaller and
# with the recipe's own range a weight of 0.15 holds the policy next to uniform. A task that is not here keeps the
# recipe's own values.
TASKS = {
    "HalfCheetah": Task(1.2, (1.0, 1.8), soft_scale=30.0),
    "RiskyHalfCheetah": Task(1.2, (1.0, 1.8), soft_scale=30.0),
    "Humanoid": Task(1.2, (1.0, 1.8), soft_scale=100.0),
    "HumanoidStandup": Task(1.2, (1.0, 1.8), reward_scale=0.05),
    "Ant": Task(1.0, (0.7, 1.4), soft_scale=300.0),
    "Walker2d": Task(1.0, (0.7, 1.4), soft_scale=10.0),
    "Hopper": Task(0.5, (0.3, 0.8), soft_scale=30.0),
    "Swimmer": Task(soft_scale=30.0),
    **{f"CarNavigation{number}": Task(0.02, (0.01, 0.03)) for number in range(1, 5)},
}


def for_task(recipe: Recipe, environment: str) -> Recipe:
    """The recipe with the values that suit the environment, whatever its version."""
    task = TASKS.get(environment.removeprefix("pacer/").rsplit("-v", 1)[0])
    return task.apply(recipe) if task else recipe
