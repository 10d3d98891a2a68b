"""The lidar against a brute-force reference, alone and inside the environment."""

import cmath
from math import cos, pi, sin

import mujoco
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pacer.envs.navigation.env import FIRST_LIDAR, CarNavigation
from pacer.envs.navigation.lidar import Lidar
from pacer.envs.navigation.tasks import TASKS

coordinate = st.floats(-10.0, 10.0)
points = st.lists(st.tuples(coordinate, coordinate, st.integers(0, 2)), min_size=1, max_size=15)


def brute_force(
    car: complex, heading: float, objects: list[tuple[float, float, int]], rings: int, bins: int, reach: float
) -> NDArray[np.float64]:
    """Every bin asks every object of its group what it shows: the whole reading, a share of it, or nothing."""
    readings = np.zeros((rings, bins))
    for ring in range(rings):
        for bin in range(bins):
            for x, y, group in objects:
                if group != ring:
                    continue
                seen = (complex(x, y) - car) * cmath.exp(-1j * heading)
                into = (cmath.phase(seen) % (2 * pi)) / (2 * pi / bins)
                home = int(into) % bins
                share = 0.0
                if bin == home:
                    share = 1.0
                elif bin == (home + 1) % bins:
                    share = into - int(into)
                elif bin == (home - 1) % bins:
                    share = 1.0 - (into - int(into))
                readings[ring, bin] = max(readings[ring, bin], share * max(0.0, reach - abs(seen)) / reach)
    return readings


@settings(max_examples=150, deadline=None)
@given(points, coordinate, coordinate, st.floats(-pi, pi), st.sampled_from([3, 8, 16, 31]), st.floats(0.5, 12.0))
def test_readings_equal_brute_force(
    objects: list[tuple[float, float, int]], x: float, y: float, heading: float, bins: int, reach: float
) -> None:
    car = complex(x, y)
    offsets = [complex(at_x, at_y) - car for at_x, at_y, _ in objects]
    assume(min(map(abs, offsets)) > 1e-6)  # an object at the very centre of the car has no bearing
    lidar = Lidar([group for *_, group in objects], 3, bins, reach)
    readings = lidar.read([abs(z) for z in offsets], [cmath.phase(z) - heading for z in offsets])
    expected = brute_force(car, heading, objects, 3, bins, reach)
    # Shares are continuous across the edge of a bin, so rounding there cannot make a visible difference.
    np.testing.assert_allclose(np.reshape(readings, (3, bins)), expected, atol=1e-9)


@pytest.mark.parametrize("bearing", [-1e-18, -0.0, 0.0, 2 * pi, -2 * pi, 1e-18])
def test_a_bearing_that_rounds_to_the_full_circle_is_bin_zero(bearing: float) -> None:
    readings = Lidar([0], 1, 16, 4.0).read([1.0], [bearing])
    assert readings[0] == pytest.approx(0.75)
    assert readings[15] == pytest.approx(0.75)
    assert sum(readings) == pytest.approx(1.5)


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("name", TASKS)
def test_observed_lidars_equal_brute_force(name: str, separate: bool) -> None:
    env = CarNavigation(name, separate_treasure_lidars=separate)
    rng = np.random.default_rng(5)
    rings = 4 if separate else 3
    for seed in range(5):
        env.reset(seed=seed)
        for _ in range(10):
            observation, *_ = env.step(rng.uniform(-1, 1, 2).astype(np.float32))
        groups = [kind if separate else min(kind, 2) for kind in env.course.kinds]
        objects = [(x, y, group) for (x, y), group in zip(env.course.positions, groups, strict=True)]
        body = env.data.body("car")
        x_axis = body.xmat.reshape(3, 3)[:2, 0]
        expected = brute_force(
            complex(*body.xpos[:2]),
            float(np.arctan2(x_axis[1], x_axis[0])),
            objects,
            rings,
            16,
            env.task.lidar_distance,
        )
        np.testing.assert_allclose(observation[FIRST_LIDAR:].reshape(rings, 16), expected, atol=1e-9)


def test_lidar_turns_with_the_car() -> None:
    env = CarNavigation()
    env.reset(seed=0)
    goal_x, goal_y = env.course.positions[0]
    for heading in np.linspace(-3.0, 3.0, 13):
        # One metre from the goal, with the goal straight ahead: forward is -y, the middle of bins 11 and 12.
        env.data.qpos[:2] = goal_x - sin(heading), goal_y + cos(heading)
        env.data.qpos[3:7] = cos(heading / 2), 0.0, 0.0, sin(heading / 2)
        env.data.qvel[:] = 0.0
        mujoco.mj_forward(env.model, env.data)
        readings = env._observe(env._distances())[FIRST_LIDAR : FIRST_LIDAR + 16]
        assert sorted(np.argsort(readings)[-2:]) == [11, 12]
        assert readings.max() == pytest.approx(1 - 1 / 5)
