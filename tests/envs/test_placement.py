"""Placement: keep-out circles never overlap, and a task without room is refused with the reason."""

from dataclasses import replace
from itertools import combinations
from math import dist, inf, pi

import gymnasium
import numpy as np
import pytest

from pacer.envs.navigation.placement import PlacementError, place, place_goal
from pacer.envs.navigation.tasks import TASKS, NavigationTask
from pacer.envs.registration import register_environments

register_environments()


@pytest.mark.parametrize("name", TASKS)
def test_keepouts_never_overlap_over_a_thousand_seeds(name: str) -> None:
    task = TASKS[name]
    radii = [radius for _, radius in task.keepouts()]
    closest = inf
    for seed in range(1000):
        places = place(task, np.random.default_rng(seed))
        assert len(places) == len(radii)
        closest = min(closest, *(dist(places[i], places[j]) - radii[i] - radii[j] for i, j in pairs(radii)))
        for (x, y), radius in zip(places, radii, strict=True):
            assert task.limits[0] + radius <= x <= task.limits[2] - radius
            assert task.limits[1] + radius <= y <= task.limits[3] - radius
    print(f"{name}: smallest gap between keep-outs {closest:.4f} m")
    # Above zero, but only just: over a thousand layouts a placement that kept more distance would not be by rejection.
    assert 0.0 <= closest < 0.01


@pytest.mark.parametrize("name", TASKS)
def test_a_redrawn_goal_is_clear_of_the_car_and_of_everything(name: str) -> None:
    task = TASKS[name]
    radii = [radius for _, radius in task.keepouts()]
    for seed in range(300):
        rng = np.random.default_rng(seed)
        car, goal, *others = place(task, rng)
        car = (goal[0] + rng.uniform(-0.2, 0.2), goal[1] + rng.uniform(-0.2, 0.2))
        new = place_goal(task, rng, [car, *others], [radii[0], *radii[2:]])
        for at, radius in zip([car, *others], [radii[0], *radii[2:]], strict=True):
            assert dist(new, at) >= task.goal_keepout + radius


def test_places_fill_the_limits() -> None:
    task = TASKS["CarNavigation1"]
    cars = np.array([place(task, np.random.default_rng(seed))[0] for seed in range(1000)])
    reach = 2.0 - task.car_keepout
    assert (cars.min(axis=0) < -0.95 * reach).all()
    assert (cars.max(axis=0) > 0.95 * reach).all()
    # A uniform coordinate's deviation is its half-width over the root of three; keep-outs push outward a little.
    np.testing.assert_allclose(cars.std(axis=0), reach / 3**0.5, rtol=0.15)


def test_a_goal_without_a_free_place_takes_the_best_one() -> None:
    task = replace(TASKS["CarNavigation1"], hazards=0, immovable_treasures=0, moving_treasures=0)
    x, y = place_goal(task, np.random.default_rng(0), [(1.5, 1.5)], [100.0])
    assert dist((x, y), (1.5, 1.5)) > 3.0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"limits": (-0.3, -0.3, 0.3, 0.3)}, "the car does not fit"),
        ({"hazards": 40}, "keep-out circles cover"),
        ({"hazards": 18}, "no room for"),
        ({"limits": (1.0, 0.0, -1.0, 2.0)}, "limits are"),
        ({"moving_keepout": -1.0}, "moving_keepout is -1.0"),
    ],
)
def test_an_impossible_task_is_refused_with_the_reason(changes: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as refusal:
        gymnasium.make("pacer/CarNavigation1-v0", **changes)
    assert "use wider limits" in str(refusal.value) or "expected" in str(refusal.value)


def test_a_layout_that_area_alone_would_allow_is_refused_by_trying() -> None:
    task = replace(TASKS["CarNavigation1"], hazards=18)
    assert pi * sum(radius**2 for _, radius in task.keepouts()) < 16.0
    with pytest.raises(PlacementError, match="hazard"):
        place(task, np.random.default_rng(0))


def test_a_tight_task_that_fits_is_placed() -> None:
    task = NavigationTask(
        limits=(0.0, 0.0, 2.0, 0.9),
        goal_reward=1.0,
        lidar_distance=3.0,
        hazards=0,
        hazard_size=0.5,
        hazard_cost=1.0,
        immovable_treasures=0,
        immovable_size=0.2,
        moving_treasures=0,
        moving_keepout=0.5,
        moving_travel=0.4,
    )
    car, goal = place(task, np.random.default_rng(1))
    assert dist(car, goal) >= 0.8


def pairs(radii: list[float]) -> list[tuple[int, int]]:
    return list(combinations(range(len(radii)), 2))
