"""Random placement of circles that do not overlap, by rejection."""

from collections.abc import Sequence
from math import hypot

import numpy as np

from pacer.envs.navigation.tasks import Limits, NavigationTask

Point = tuple[float, float]

TRIES_PER_OBJECT = 100
LAYOUTS = 200


class PlacementError(ValueError):
    """The objects of a task found no room inside its limits."""


def place(task: NavigationTask, rng: np.random.Generator) -> list[Point]:
    """Positions in the order of `task.keepouts()`, no two keep-out circles overlapping."""
    keepouts = [keepout for _, keepout in task.keepouts()]
    furthest = 0
    for _ in range(LAYOUTS):
        placed: list[Point] = []
        for keepout in keepouts:
            position = _draw(rng, task.limits, keepout, placed, keepouts)
            if position is None:
                break
            placed.append(position)
        if len(placed) == len(keepouts):
            return placed
        furthest = max(furthest, len(placed))
    name, keepout = task.keepouts()[furthest]
    raise PlacementError(
        f"no room for {name} (keep-out {keepout:g} m) beside the {furthest} objects placed before it inside the"
        f" limits {task.limits}, in {LAYOUTS} layouts; use wider limits, fewer objects or smaller keep-outs"
    )


def place_goal(
    task: NavigationTask, rng: np.random.Generator, others: Sequence[Point], keepouts: Sequence[float]
) -> Point:
    """A new goal clear of the others; where the car leaves no free place, the best of the places tried.

    An episode must go on, so this never fails. In the four tasks a free place is always found.
    """
    position = _draw(rng, task.limits, task.goal_keepout, others, keepouts, tries=10 * TRIES_PER_OBJECT)
    if position is not None:
        return position
    candidates = [_uniform(rng, task.limits, task.goal_keepout) for _ in range(TRIES_PER_OBJECT)]
    return max(
        candidates,
        key=lambda at: min(
            hypot(at[0] - x, at[1] - y) - keepout for (x, y), keepout in zip(others, keepouts, strict=True)
        ),
    )


def _draw(
    rng: np.random.Generator,
    limits: Limits,
    keepout: float,
    placed: Sequence[Point],
    keepouts: Sequence[float],
    tries: int = TRIES_PER_OBJECT,
) -> Point | None:
    """A position whose circle overlaps none of those placed, or None when none was found."""
    for _ in range(tries):
        at = _uniform(rng, limits, keepout)
        # `keepouts` may go on past the objects placed so far.
        if all(hypot(at[0] - x, at[1] - y) >= keepout + other for (x, y), other in zip(placed, keepouts, strict=False)):
            return at
    return None


def _uniform(rng: np.random.Generator, limits: Limits, keepout: float) -> Point:
    """A point of the limits shrunk by the keep-out."""
    u, v = rng.random(2).tolist()
    x_low, y_low, x_high, y_high = limits
    return (
        x_low + keepout + u * (x_high - x_low - 2.0 * keepout),
        y_low + keepout + v * (y_high - y_low - 2.0 * keepout),
    )
