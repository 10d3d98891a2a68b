"""What the best place to stand pays in an episode of the navigation tasks, if treasures are touched from further away
than we read, or may overlap: whether one reading gives the scores that the paper reports.

python results/standing.py
"""

import itertools
from dataclasses import replace

import numpy as np
from table import fill

from pacer.envs.navigation.course import HAZARD, IMMOVABLE, MOVING, Course
from pacer.envs.navigation.tasks import TASKS, NavigationTask

LAYOUTS, GRID, TIMES, STEPS = 40, 0.1, 40, 1_000
READINGS = {
    "0.2, the size": lambda task: task,  # ours
    "the keep-out, the size": lambda task: replace(task, moving_size=task.moving_keepout),
    "travel + 0.2, the size": lambda task: replace(task, moving_size=task.moving_travel + 0.2),
    "keep-out + 0.4, size + 0.4": lambda task: replace(
        task, moving_size=task.moving_keepout + 0.4, immovable_size=task.immovable_size + 0.4
    ),
    "0.2, the size, treasures may overlap": lambda task: replace(task, moving_keepout=0.0, immovable_keepout=0.0),
    "travel + 0.2, the size, treasures may overlap": lambda task: replace(
        task, moving_size=task.moving_travel + 0.2, moving_keepout=0.0, immovable_keepout=0.0
    ),
    "the same, every contact pays": lambda task: replace(
        task, moving_size=task.moving_travel + 0.2, moving_keepout=0.0, immovable_keepout=0.0, probability=1.0
    ),
}


def best_place(task: NavigationTask, seed: int) -> float:
    """The highest mean pay of a step at a point of the grid, over the circle that moving treasures travel."""
    course = Course(task)
    course.scatter(np.random.default_rng(seed))
    x_low, y_low, x_high, y_high = task.limits
    grid = np.stack(np.meshgrid(np.arange(x_low, x_high, GRID), np.arange(y_low, y_high, GRID)), -1).reshape(-1, 2)
    pays = {HAZARD: -task.hazard_cost, IMMOVABLE: task.immovable_reward, MOVING: task.moving_reward}
    paid = np.zeros(len(grid))
    for time in np.linspace(0, 2 * np.pi, TIMES, endpoint=False):
        course.advance(time)
        for kind, size, place in zip(course.kinds, course.sizes, course.positions, strict=True):
            paid += pays.get(kind, 0.0) * (np.linalg.norm(grid - place, axis=1) <= size)
    return float(task.probability * paid.max() / TIMES)


def standing(reading: str, task: str) -> tuple[int]:
    """Mean over layouts of what an episode at the best place pays."""
    changed = READINGS[reading](TASKS[task])
    return (round(STEPS * float(np.mean([best_place(changed, seed) for seed in range(LAYOUTS)]))),)


if __name__ == "__main__":
    fill("standing", ("contact radii", "task", "return"), itertools.product(READINGS, TASKS), standing)
