"""The navigation tasks as Gymnasium environments: spaces, seeds, episodes, options, errors."""

import dataclasses
import random
import warnings
from math import dist, exp
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pacer.envs.navigation.env import CarNavigation
from pacer.envs.navigation.tasks import TASKS, NavigationTask
from pacer.envs.registration import register_environments

register_environments()
IDS = [f"pacer/{name}-v0" for name in TASKS]


def play(env: gymnasium.Env[Any, Any], seed: int | None, steps: int = 150) -> list[Any]:
    """An episode's observations, rewards and infos under actions that depend on nothing but the step."""
    rng = np.random.default_rng(99)
    record = [*env.reset(seed=seed)]
    for _ in range(steps):
        record.extend(env.step(rng.uniform(-1, 1, 2).astype(np.float32)))
    return record


def equal(one: list[Any], other: list[Any]) -> bool:
    return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("id", IDS)
def test_gymnasium_accepts_the_environment(id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Speeds and accelerations have no bound.
        warnings.filterwarnings("ignore", message=".*infinity.*")
        check_env(gymnasium.make(id).unwrapped, skip_render_check=True)


@pytest.mark.parametrize("id", IDS)
def test_same_seed_same_episode_whatever_came_before(id: str) -> None:
    fresh = play(gymnasium.make(id), seed=7)
    used = gymnasium.make(id)
    play(used, seed=3, steps=40)
    used.reset()
    np.random.seed(123)
    random.seed(123)
    assert equal(fresh, play(used, seed=7))
    assert not equal(fresh, play(used, seed=8))


def test_reset_without_a_seed_goes_on_with_the_generator() -> None:
    one, other = gymnasium.make(IDS[0]), gymnasium.make(IDS[0])
    first = play(one, seed=4, steps=20)
    play(other, seed=4, steps=20)
    second = play(one, seed=None, steps=20)
    assert equal(second, play(other, seed=None, steps=20))
    assert not equal(first, second)


def test_touching_draws_from_the_environments_own_generator() -> None:
    def paid(seed: int) -> list[float]:
        env = CarNavigation(limits=(-3, -3, 3, 3), hazards=1, hazard_size=20.0)
        env.reset(seed=0)
        env._np_random = np.random.default_rng(seed)
        return [env.step(np.zeros(2, np.float32))[4]["reward_hazard"] for _ in range(50)]

    assert paid(1) == paid(1)
    assert paid(1) != paid(2)


@pytest.mark.parametrize("id", IDS)
def test_an_episode_is_truncated_after_a_thousand_steps(id: str) -> None:
    env = gymnasium.make(id)
    env.reset(seed=0)
    ends = [env.step(np.zeros(2, np.float32))[2:4] for _ in range(1000)]
    assert ends == [(False, False)] * 999 + [(False, True)]


@pytest.mark.parametrize("id", IDS)
def test_the_observation_is_sensors_goal_and_lidars(id: str) -> None:
    env = gymnasium.make(id)
    env.reset(seed=1)
    for _ in range(30):
        observation, *_ = env.step(np.array([1.0, 0.3], np.float32))
    data, course = env.unwrapped.data, env.unwrapped.course
    assert observation.shape == env.observation_space.shape == (73,)
    assert env.observation_space.contains(observation)
    np.testing.assert_array_equal(observation[:15], data.sensordata[:15])
    ball = observation[15:24].reshape(3, 3)
    np.testing.assert_allclose(ball @ ball.T, np.eye(3), atol=1e-9)
    body = data.body("car").xmat.reshape(3, 3)
    np.testing.assert_allclose(body @ ball, data.body("rear ball").xmat.reshape(3, 3), atol=1e-9)
    assert observation[24] == pytest.approx(exp(-dist(course.positions[0], data.body("car").xpos[:2])))


def test_returned_observations_are_not_changed_later() -> None:
    env = gymnasium.make(IDS[0])
    observation, _ = env.reset(seed=0)
    copy = observation.copy()
    env.step(np.ones(2, np.float32))
    np.testing.assert_array_equal(observation, copy)


def test_the_paper_table() -> None:
    def columns(*fields: str) -> list[tuple[Any, ...]]:
        return [tuple(getattr(task, field) for field in fields) for task in TASKS.values()]

    assert [task.limits[2] for task in TASKS.values()] == [2, 5, 3, 4]
    assert all(task.limits == (-side, -side, side, side) for task in TASKS.values() for side in [task.limits[2]])
    assert columns("distance_reward", "goal_reward") == [(2, 5), (2, 8), (2, 8), (2, 8)]
    assert columns("lidar_distance", "lidar_bins") == [(5, 16), (8, 16), (7, 16), (8, 16)]
    assert columns("hazards", "hazard_size", "hazard_cost") == [(1, 0.5, 1), (3, 0.8, 2), (2, 0.5, 2), (3, 0.6, 2)]
    assert columns("immovable_treasures", "immovable_size", "immovable_reward") == [
        (2, 0.2, 0.2),
        (4, 0.3, 0.2),
        (3, 0.2, 0.2),
        (3, 0.3, 0.2),
    ]
    assert columns("moving_treasures", "moving_keepout", "moving_travel", "moving_reward") == [
        (2, 0.5, 0.4, 0.5),
        (3, 0.8, 0.8, 0.5),
        (3, 0.6, 0.6, 0.5),
        (3, 0.8, 0.6, 0.5),
    ]
    assert columns("probability") == [(0.65,)] * 4


def test_options_change_fields_of_the_task() -> None:
    env = gymnasium.make(IDS[1], separate_treasure_lidars=True, hazards=1, limits=[-4, -4, 4, 4])
    assert env.observation_space.shape == (89,)
    task = env.unwrapped.task
    changed = dataclasses.replace(
        TASKS["CarNavigation2"], separate_treasure_lidars=True, hazards=1, limits=(-4.0, -4.0, 4.0, 4.0)
    )
    assert task == changed
    assert hash(task) == hash(changed)


def test_a_task_of_ones_own() -> None:
    mine = NavigationTask(
        limits=(-1.5, -1.5, 1.5, 1.5),
        goal_reward=1.0,
        lidar_distance=4.0,
        hazards=0,
        hazard_size=0.5,
        hazard_cost=1.0,
        immovable_treasures=1,
        immovable_size=0.2,
        moving_treasures=0,
        moving_keepout=0.5,
        moving_travel=0.4,
    )
    env = gymnasium.make(IDS[0], task=mine)
    observation, _ = env.reset(seed=0)
    assert observation.shape == (73,)
    assert not observation[41:57].any()  # no hazards, nothing in their lidar
    assert observation[25:41].any()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"hazard": 1}, TypeError, "no field hazard; its fields are limits"),
        ({"task": "CarNavigation9"}, ValueError, "the tasks are CarNavigation1"),
        ({"task": 3}, TypeError, "expected a NavigationTask"),
        ({"probability": 1.5}, ValueError, "probability is 1.5"),
        ({"lidar_bins": 2}, ValueError, "lidar_bins is 2"),
        ({"hazards": -1}, ValueError, "hazards is -1"),
        ({"goal_size": 0.0}, ValueError, "goal_size is 0.0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        CarNavigation(**options)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ([0.0], r"shape \(1,\)"),
        ([0.0, 0.0, 0.0], r"shape \(3,\)"),
        ([np.nan, 0.0], "finite"),
        ([np.inf, -np.inf], "finite"),
    ],
)
def test_wrong_actions_are_refused(action: list[float], message: str) -> None:
    env = CarNavigation()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.step(np.array(action, np.float32))
