"""Goal, hazards and treasures of an episode: where they are, and what touching them pays."""

from math import cos, sin
from typing import NamedTuple

import numpy as np

from pacer.envs.navigation.placement import Point, place, place_goal
from pacer.envs.navigation.tasks import NavigationTask

GOAL, HAZARD, IMMOVABLE, MOVING = range(4)


class Touch(NamedTuple):
    """How many hazards and treasures the car touches, and what they paid on this step."""

    hazards: int = 0
    treasures: int = 0
    hazard_reward: float = 0.0
    treasure_reward: float = 0.0


UNTOUCHED = Touch()


class Course:
    """The objects of a task, in one list: first the goal, then hazards, immovable and moving treasures."""

    def __init__(self, task: NavigationTask) -> None:
        self.task = task
        self.kinds = [GOAL]
        self.kinds += [HAZARD] * task.hazards
        self.kinds += [IMMOVABLE] * task.immovable_treasures
        self.kinds += [MOVING] * task.moving_treasures
        sizes = {
            GOAL: task.goal_size,
            HAZARD: task.hazard_size,
            IMMOVABLE: task.immovable_size,
            MOVING: task.moving_size,
        }
        self.sizes = [sizes[kind] for kind in self.kinds]
        self.positions: list[Point] = []
        self._centres: list[Point] = []
        self._first_moving = len(self.kinds) - task.moving_treasures
        self._keepouts = [keepout for _, keepout in task.keepouts()]

    def scatter(self, rng: np.random.Generator) -> Point:
        """Place everything anew, and return the place of the car."""
        car, *self._centres = place(self.task, rng)
        self.positions = list(self._centres)
        self.advance(0.0)
        return car

    def advance(self, time: float) -> None:
        """Move the moving treasures to where they are at this time of the simulation."""
        right, up = self.task.moving_travel * sin(time), self.task.moving_travel * cos(time)
        first = self._first_moving
        self.positions[first:] = [(x + right, y + up) for x, y in self._centres[first:]]

    def redraw_goal(self, rng: np.random.Generator, car: Point) -> None:
        """Put the goal at a new place, clear of the car and of everything else."""
        # Moving treasures keep the circle around their centre free, wherever they are on it.
        others = [car, *self._centres[1:]]
        keepouts = [self._keepouts[0], *self._keepouts[2:]]
        self.positions[GOAL] = self._centres[GOAL] = place_goal(self.task, rng, others, keepouts)

    def touch(self, distances: list[float], rng: np.random.Generator) -> Touch:
        """What the car at these distances from the objects touches; each object touched draws once."""
        touched = [i for i, distance in enumerate(distances) if distance <= self.sizes[i] and i != GOAL]
        if not touched:
            return UNTOUCHED
        hazards, hazard_reward, treasure_reward = 0, 0.0, 0.0
        for i in touched:
            paid = rng.random() < self.task.probability
            if self.kinds[i] == HAZARD:
                hazards += 1
                depth = self.sizes[i] - distances[i] if self.task.graded_hazards else 1.0
                hazard_reward -= paid * depth * self.task.hazard_cost
            else:
                moving = self.kinds[i] == MOVING
                treasure_reward += paid * (self.task.moving_reward if moving else self.task.immovable_reward)
        return Touch(hazards, len(touched) - hazards, hazard_reward, treasure_reward)
