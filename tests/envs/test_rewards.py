"""Rewards: the terms in `info` add up, happen where they should, and as often as they should."""

from collections.abc import Callable
from math import dist, sqrt
from typing import Any

import mujoco
import numpy as np
import pytest

from pacer.envs.navigation.course import GOAL, HAZARD, IMMOVABLE, MOVING
from pacer.envs.navigation.env import CarNavigation
from pacer.envs.navigation.tasks import TASKS

TERMS = ("reward_distance", "reward_goal", "reward_hazard", "reward_treasure")
STAY = np.zeros(2, np.float32)


def put_car(env: CarNavigation, x: float, y: float) -> None:
    env.data.qpos[:2] = x, y
    env.data.qvel[:] = 0.0
    mujoco.mj_forward(env.model, env.data)


def index_of(env: CarNavigation, kind: int) -> int:
    return env.course.kinds.index(kind)


def bare(**objects: Any) -> CarNavigation:
    """A task with only the objects named."""
    env = CarNavigation(**({"hazards": 0, "immovable_treasures": 0, "moving_treasures": 0} | objects))
    env.reset(seed=3)
    return env


@pytest.mark.parametrize("name", TASKS)
def test_terms_add_up_to_the_reward(name: str) -> None:
    env = CarNavigation(name)
    rng = np.random.default_rng(0)
    seen = dict.fromkeys(TERMS, 0)
    for seed in range(3):
        env.reset(seed=seed)
        for step in range(200):
            if step % 4 == 0:
                x, y = env.course.positions[rng.integers(len(env.course.positions))]
                put_car(env, x, y)
            _, reward, terminated, truncated, info = env.step(rng.uniform(-1, 1, 2).astype(np.float32))
            assert reward == pytest.approx(np.clip(sum(info[term] for term in TERMS), -10.0, 10.0))
            assert not terminated
            assert not truncated
            for term in TERMS:
                seen[term] += info[term] != 0.0
            assert (info["reward_goal"] != 0.0) == info["goal_met"]
            assert info["hazard"] or info["reward_hazard"] == 0.0
            assert info["treasure"] or info["reward_treasure"] == 0.0
    assert min(seen.values()) > 10


@pytest.mark.parametrize("name", TASKS)
def test_dense_reward_is_the_progress_to_the_goal(name: str) -> None:
    env = CarNavigation(name)
    env.reset(seed=1)
    for _ in range(50):
        goal, before = env.course.positions[GOAL], env.data.qpos[:2].copy()
        _, _, _, _, info = env.step(np.ones(2, np.float32))
        if not info["goal_met"]:
            progress = dist(goal, before) - dist(goal, env.data.qpos[:2])
            assert info["reward_distance"] == pytest.approx(2.0 * progress, abs=1e-9)


@pytest.mark.parametrize("name", TASKS)
def test_a_met_goal_pays_and_moves_at_once(name: str) -> None:
    env = CarNavigation(name)
    env.reset(seed=2)
    old = env.course.positions[GOAL]
    put_car(env, *old)
    observation, _, terminated, truncated, info = env.step(STAY)
    assert info["goal_met"]
    assert info["reward_goal"] == TASKS[name].goal_reward
    assert not terminated
    assert not truncated
    new, car = env.course.positions[GOAL], env.data.qpos[:2].tolist()
    assert dist(new, car) >= 0.8
    assert observation[24] == pytest.approx(np.exp(-dist(new, car)))
    # From here on progress counts toward the new goal: leaving the old one costs nothing by itself.
    _, _, _, _, info = env.step(np.ones(2, np.float32))
    assert info["reward_distance"] == pytest.approx(2.0 * (dist(new, car) - dist(new, env.data.qpos[:2])), abs=1e-9)


def test_the_goal_is_met_within_its_size_and_not_outside() -> None:
    env = bare()
    x, y = env.course.positions[GOAL]
    put_car(env, x + 0.31, y)
    assert not env.step(STAY)[4]["goal_met"]
    put_car(env, x + 0.29, y)
    assert env.step(STAY)[4]["goal_met"]


def frequency(env: CarNavigation, follow: Callable[[], tuple[float, float]], term: str, amount: float) -> float:
    """How often the term is paid to a car that is put onto the object before every step."""
    paid, steps = 0.0, 2000
    for _ in range(steps):
        put_car(env, *follow())
        info = env.step(STAY)[4]
        assert info["hazard"] + info["treasure"] == 1
        assert info[term] == 0.0 or info[term] == pytest.approx(amount)
        paid += info[term] / amount
    return paid / steps


@pytest.mark.parametrize(
    ("kind", "objects", "term", "amount"),
    [
        (HAZARD, {"hazards": 1, "hazard_cost": 2.0}, "reward_hazard", -2.0),
        (IMMOVABLE, {"immovable_treasures": 1}, "reward_treasure", 0.2),
        (MOVING, {"moving_treasures": 1}, "reward_treasure", 0.5),
    ],
)
def test_hazards_and_treasures_pay_with_their_probability(
    kind: int, objects: dict[str, Any], term: str, amount: float
) -> None:
    # A goal too small to be met stays out of the way.
    env = bare(goal_size=1e-6, **objects)
    object = index_of(env, kind)
    found = frequency(env, lambda: env.course.positions[object], term, amount)
    error = sqrt(0.65 * 0.35 / 2000)
    print(f"{term} of kind {kind}: paid on {found:.4f} of the steps, expected 0.65 within {3 * error:.4f}")
    assert abs(found - 0.65) < 3 * error


@pytest.mark.parametrize(("probability", "expected"), [(0.0, 0.0), (1.0, -1.0)])
def test_a_certain_hazard_is_certain(probability: float, expected: float) -> None:
    env = bare(hazards=1, probability=probability)
    put_car(env, *env.course.positions[index_of(env, HAZARD)])
    assert {env.step(STAY)[4]["reward_hazard"] for _ in range(20)} == {expected}


@pytest.mark.parametrize(
    ("kind", "objects", "size"),
    [
        (HAZARD, {"hazards": 1, "hazard_size": 0.6}, 0.6),
        (IMMOVABLE, {"immovable_treasures": 1, "immovable_size": 0.3}, 0.3),
        (MOVING, {"moving_treasures": 1}, 0.2),
    ],
)
def test_contact_begins_at_the_size(kind: int, objects: dict[str, Any], size: float) -> None:
    env = bare(goal_size=1e-6, **objects)
    object, key = index_of(env, kind), "hazard" if kind == HAZARD else "treasure"
    for distance, touched in ((size + 0.03, 0), (size - 0.03, 1)):
        # Where a moving treasure will be at the end of the step.
        env.course.advance(env.data.time + 0.04)
        x, y = env.course.positions[object]
        put_car(env, x + distance, y)
        assert env.step(STAY)[4][key] == touched


def test_graded_hazards_cost_in_proportion_to_depth() -> None:
    env = bare(hazards=1, hazard_cost=2.0, graded_hazards=True, probability=1.0)
    hazard = env.course.positions[index_of(env, HAZARD)]
    put_car(env, hazard[0] + 0.2, hazard[1])
    info = env.step(STAY)[4]
    depth = 0.5 - dist(hazard, env.data.qpos[:2])
    assert info["reward_hazard"] == pytest.approx(-2.0 * depth)


def test_moving_treasures_circle_their_centres() -> None:
    env = bare(moving_treasures=2, moving_travel=0.4)
    first = index_of(env, MOVING)
    start = [(x, y - 0.4) for x, y in env.course.positions[first:]]  # at time 0 each is straight above its centre
    for _ in range(157):
        env.step(STAY)
        time = env.data.time
        for (x, y), (at_x, at_y) in zip(start, env.course.positions[first:], strict=True):
            assert at_x == pytest.approx(x + 0.4 * np.sin(time))
            assert at_y == pytest.approx(y + 0.4 * np.cos(time))
    assert time == pytest.approx(6.28)


def test_the_reward_of_a_step_is_bounded() -> None:
    env = bare()
    x, y = env.course.positions[GOAL]
    put_car(env, x + 20.0, y)
    _, reward, _, _, info = env.step(STAY)
    assert info["reward_distance"] < -30.0
    assert reward == -10.0
