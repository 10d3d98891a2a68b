"""The four navigation tasks, one frozen configuration each: the paper's table, and the rules that it leaves open."""

from dataclasses import dataclass, fields, replace
from math import isfinite, pi
from typing import Any

Limits = tuple[float, float, float, float]


@dataclass(frozen=True)
class NavigationTask:
    """What a navigation task consists of; lengths in metres, rewards per step."""

    limits: Limits
    """Where things are placed: lowest x, lowest y, highest x, highest y."""
    goal_reward: float
    lidar_distance: float
    """Objects further away than this are not seen."""
    hazards: int
    hazard_size: float
    hazard_cost: float
    immovable_treasures: int
    immovable_size: float
    """Radius of an immovable treasure, and how close the car must be to touch it."""
    moving_treasures: int
    moving_keepout: float
    moving_travel: float
    """Radius of the circle on which a moving treasure travels, at one radian per second."""
    immovable_reward: float = 0.2
    moving_reward: float = 0.5
    moving_size: float = 0.2
    """How close the car must be to touch a moving treasure."""
    distance_reward: float = 2.0
    """Paid per metre that the car comes closer to the goal."""
    probability: float = 0.65
    """With which a touched hazard costs, and a touched treasure pays, on each step."""
    graded_hazards: bool = False
    """True: a hazard costs in proportion to the depth (size - distance); False: always its full cost."""
    separate_treasure_lidars: bool = False
    """True: immovable and moving treasures each have a lidar (89 observations instead of 73)."""
    lidar_bins: int = 16
    goal_size: float = 0.3
    car_keepout: float = 0.4
    goal_keepout: float = 0.4
    hazard_keepout: float = 0.4
    immovable_keepout: float = 0.3
    reward_bound: float = 10.0
    """A step's reward is clipped to plus or minus this much."""

    def __post_init__(self) -> None:
        limits = tuple(float(limit) for limit in self.limits)
        if len(limits) != 4 or not all(map(isfinite, limits)) or limits[0] >= limits[2] or limits[1] >= limits[3]:
            raise ValueError(
                f"limits are {self.limits!r}, expected four finite numbers (lowest x, lowest y, highest x, highest y)"
                " with each lowest below its highest"
            )
        object.__setattr__(self, "limits", limits)
        self._check_numbers()
        self._check_room()

    def _check_numbers(self) -> None:
        for name in ("hazards", "immovable_treasures", "moving_treasures"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 0:
                raise ValueError(f"{name} is {value!r}, expected a whole number of at least 0")
        if not isinstance(self.lidar_bins, int) or self.lidar_bins < 3:
            raise ValueError(f"lidar_bins is {self.lidar_bins!r}, expected a whole number of at least 3")
        if not 0.0 <= self.probability <= 1.0:
            raise ValueError(f"probability is {self.probability!r}, expected a number from 0 to 1")
        for name in (
            "lidar_distance",
            "reward_bound",
            "hazard_size",
            "immovable_size",
            "moving_size",
            "goal_size",
        ):
            if not getattr(self, name) > 0.0:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected a number above 0")
        for field in fields(self):
            if field.name.endswith(("_keepout", "_travel")) and not getattr(self, field.name) >= 0.0:
                raise ValueError(f"{field.name} is {getattr(self, field.name)!r}, expected a number of at least 0")

    def _check_room(self) -> None:
        width, height = self.limits[2] - self.limits[0], self.limits[3] - self.limits[1]
        for name, keepout in self.keepouts():
            if 2.0 * keepout > min(width, height):
                raise ValueError(
                    f"the {name} does not fit: its keep-out circle is {2.0 * keepout:g} m across and the limits"
                    f" {self.limits} are {width:g} m by {height:g} m; use wider limits or a smaller keep-out"
                )
        covered = pi * sum(keepout**2 for _, keepout in self.keepouts())
        if covered > width * height:
            raise ValueError(
                f"the keep-out circles cover {covered:.1f} square metres, more than the {width * height:.1f} inside"
                f" the limits {self.limits}; use wider limits, fewer objects or smaller keep-outs"
            )

    def keepouts(self) -> tuple[tuple[str, float], ...]:
        """Name and keep-out radius of all that is placed: car, goal, hazards, immovable and moving treasures."""
        return (
            ("car", self.car_keepout),
            ("goal", self.goal_keepout),
            *((f"hazard {i + 1}", self.hazard_keepout) for i in range(self.hazards)),
            *((f"immovable treasure {i + 1}", self.immovable_keepout) for i in range(self.immovable_treasures)),
            *((f"moving treasure {i + 1}", self.moving_keepout) for i in range(self.moving_treasures)),
        )


TASKS = {
    "CarNavigation1": NavigationTask(
        limits=(-2.0, -2.0, 2.0, 2.0),
        goal_reward=5.0,
        lidar_distance=5.0,
        hazards=1,
        hazard_size=0.5,
        hazard_cost=1.0,
        immovable_treasures=2,
        immovable_size=0.2,
        moving_treasures=2,
        moving_keepout=0.5,
        moving_travel=0.4,
    ),
    "CarNavigation2": NavigationTask(
        limits=(-5.0, -5.0, 5.0, 5.0),
        goal_reward=8.0,
        lidar_distance=8.0,
        hazards=3,
        hazard_size=0.8,
        hazard_cost=2.0,
        immovable_treasures=4,
        immovable_size=0.3,
        moving_treasures=3,
        moving_keepout=0.8,
        moving_travel=0.8,
    ),
    "CarNavigation3": NavigationTask(
        limits=(-3.0, -3.0, 3.0, 3.0),
        goal_reward=8.0,
        lidar_distance=7.0,
        hazards=2,
        hazard_size=0.5,
        hazard_cost=2.0,
        immovable_treasures=3,
        immovable_size=0.2,
        moving_treasures=3,
        moving_keepout=0.6,
        moving_travel=0.6,
    ),
    "CarNavigation4": NavigationTask(
        limits=(-4.0, -4.0, 4.0, 4.0),
        goal_reward=8.0,
        lidar_distance=8.0,
        hazards=3,
        hazard_size=0.6,
        hazard_cost=2.0,
        immovable_treasures=3,
        immovable_size=0.3,
        moving_treasures=3,
        moving_keepout=0.8,
        moving_travel=0.6,
    ),
}


def resolve(task: NavigationTask | str, changes: dict[str, Any]) -> NavigationTask:
    """The task named or given, with some of its fields changed."""
    if isinstance(task, str):
        if task not in TASKS:
            raise ValueError(f"there is no navigation task {task!r}; the tasks are {', '.join(TASKS)}")
        task = TASKS[task]
    elif not isinstance(task, NavigationTask):
        raise TypeError(f"task is a {type(task).__name__}, expected a NavigationTask or one of {', '.join(TASKS)}")
    known = [field.name for field in fields(NavigationTask)]
    unknown = [name for name in changes if name not in known]
    if unknown:
        raise TypeError(f"a navigation task has no field {', '.join(unknown)}; its fields are {', '.join(known)}")
    return replace(task, **changes)
