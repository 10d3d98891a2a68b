"""Values that go with a size or a task rather than with an algorithm."""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from pacer.encouragers.weight import MovingDual
from pacer.recipe import Recipe


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
        changes: dict[str, Any] = {"batch": self.batch}
        for piece in fields(recipe):
            value = getattr(recipe, piece.name)
            if is_dataclass(value):
                sized = {f.name: getattr(self, f.name) for f in fields(value) if f.name in _SIZED}
                changes[piece.name] = replace(value, **sized)  # type: ignore[type-var]
        return replace(recipe, **changes)


_SIZED = ("hidden", "levels", "samples")
SIZES = {
    "small": Size(hidden=(256, 256), levels=32, samples=32, batch=256, warm_up=1_000),
    "paper": Size(hidden=(400, 400), levels=64, samples=100, batch=400, warm_up=10_000),
}


@dataclass(frozen=True)
class Task:
    """What one environment asks for: the range of an adaptive weight, and the scale of its reward in training."""

    initial_weight: float
    weight_range: tuple[float, float]
    reward_scale: float = 1.0

    def apply(self, recipe: Recipe) -> Recipe:
        if isinstance(recipe.weight, MovingDual):
            weight = replace(recipe.weight, initial=self.initial_weight, range=self.weight_range)
            recipe = replace(recipe, weight=weight)
        return replace(recipe, reward_scale=recipe.reward_scale * self.reward_scale)


# The authors' settings; a task that is not here keeps the recipe's own values.
TASKS = {
    "HalfCheetah": Task(1.2, (1.0, 1.8)),
    "Humanoid": Task(1.2, (1.0, 1.8)),
    "HumanoidStandup": Task(1.2, (1.0, 1.8), reward_scale=0.05),
    "Ant": Task(1.0, (0.7, 1.4)),
    "Walker2d": Task(1.0, (0.7, 1.4)),
    "Hopper": Task(0.5, (0.3, 0.8)),
}


def for_task(recipe: Recipe, environment: str) -> Recipe:
    """The recipe with the values that suit the environment, whatever its version."""
    task = TASKS.get(environment.split("/")[-1].rsplit("-v", 1)[0])
    return task.apply(recipe) if task else recipe
