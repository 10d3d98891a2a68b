"""The world's edge: spaces that do not fit are refused, and nonsense is stopped with its place."""

import re

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Tuple

from pacer.envs.bounds import to_box
from pacer.errors import PacerError
from pacer.training.world import World
from tests.worlds import HIGH, LOW, Drift, Faulty, fail


class Spaces(gymnasium.Env):
    def __init__(self, observation, action):
        self.observation_space, self.action_space = observation, action


VECTOR, ACTIONS = Box(-1, 1, (3,)), Box(-1, 1, (2,))


@pytest.mark.parametrize(
    "observation, action, message",
    [
        (VECTOR, Discrete(3), r"action space Discrete\(3\).*Discrete actions are not supported"),
        (VECTOR, MultiDiscrete([2, 2]), "expected a one-dimensional Box of real numbers"),
        (VECTOR, Box(0, 5, (2,), np.int64), "expected a one-dimensional Box of real numbers"),
        (VECTOR, Box(-1, 1, (2, 2)), "can be flattened by a wrapper"),
        (VECTOR, Box(-1, 1, (0,)), "expected a one-dimensional Box of real numbers"),
        (VECTOR, Box(-np.inf, np.inf, (2,)), "expected finite bounds"),
        (VECTOR, Box(np.float32([-1, -np.inf]), np.float32([1, 1])), "expected finite bounds"),
        (VECTOR, Box(-np.finfo(np.float32).max, np.finfo(np.float32).max, (2,)), "expected finite bounds"),
        (VECTOR, Box(np.float32([0, 1]), np.float32([0, 2])), "low < high"),
        (Dict({"a": VECTOR}), ACTIONS, "observation space Dict.*FlattenObservation"),
        (Tuple([VECTOR]), ACTIONS, "observation space Tuple"),
        (Discrete(4), ACTIONS, r"observation space Discrete\(4\)"),
        (Box(0, 255, (8, 8, 3), np.uint8), ACTIONS, "Images are not supported"),
        (Box(-1, 1, ()), ACTIONS, "expected a one-dimensional Box"),
        (Box(-1, 1, (0,)), ACTIONS, "expected a one-dimensional Box"),
    ],
)
def test_spaces_that_do_not_fit_are_refused(observation, action, message):
    with pytest.raises(PacerError, match=message) as error:
        World(lambda: Spaces(observation, action), "Own-v0")
    assert str(error.value).startswith("Own-v0 has the ")


WHERE = "step 73 of training (episode 4)"


def started(env):
    world = World(lambda: env, "Own-v0")
    world.reset(0, "the start")
    return world


def at(index, value):
    def fault(obs, reward):
        changed = obs.astype(np.float64)
        changed[index] = value
        return changed, reward

    return fault


@pytest.mark.parametrize(
    "fault, message",
    [
        (at(1, np.nan), r"returned nan in its observation from step at WHERE, index 1: expected finite numbers"),
        (at(2, -np.inf), r"returned -inf in its observation from step at WHERE, index 2"),
        (at(0, 1e300), r"returned 1e\+300 in its observation from step at WHERE, index 0"),
        (lambda o, r: (o[:2], r), r"observation of shape \(2,\) and type float32 from step at WHERE: expected 3"),
        (lambda o, r: (o[None], r), r"observation of shape \(1, 3\)"),
        (lambda o, r: (["a", "b", "c"], r), r"type <U1 from step at WHERE"),
        (lambda o, r: ({"obs": o}, r), r"type object from step at WHERE"),
        (lambda o, r: (o, np.nan), r"returned reward nan at WHERE: expected a finite number"),
        (lambda o, r: (o, -np.inf), r"returned reward -inf at WHERE"),
        (lambda o, r: (o, 1e300), r"returned reward 1e\+300 at WHERE"),
        (lambda o, r: (o, None), r"returned reward None at WHERE"),
        (lambda o, r: (o, np.zeros(2)), r"returned reward array\(\[0., 0.\]\) at WHERE"),
        (fail, r"failed in step\(\[0.0, 0.0\]\) at WHERE: RuntimeError\('the simulator fell over'\)"),
    ],
)
def test_nonsense_in_a_step_is_stopped_with_its_place(fault, message):
    world = started(Faulty(fault, step=3))
    for _ in range(2):
        world.step(np.zeros(2, np.float32), "another step")
    with pytest.raises(PacerError, match=message.replace("WHERE", re.escape(WHERE))):
        world.step(np.zeros(2, np.float32), WHERE)


def test_an_action_that_is_not_finite_never_reaches_the_environment():
    world = started(Drift())
    with pytest.raises(PacerError, match=rf"action is not finite at {re.escape(WHERE)}, index 1"):
        world.step(np.float32([0, np.nan]), WHERE)
    assert world.env.steps == 0


@pytest.mark.parametrize("answer", [("obs", 0.0, None, False, {}), ("obs", 0.0, False, np.array([1, 0]), {})])
def test_ends_must_be_true_or_false(answer):
    env = Drift()
    world = started(env)
    env.step = lambda action: (env.observation(), *answer[1:])
    with pytest.raises(PacerError, match=r"returned t\w+ .* at step 73 .*: expected True or False"):
        world.step(np.zeros(2, np.float32), WHERE)


def test_the_old_step_of_four_values_is_refused():
    env = Drift()
    world = started(env)
    env.step = lambda action: (env.observation(), 0.0, False, {})
    with pytest.raises(
        PacerError, match=r"returned 4 values from step at step 73 .*: expected observation, reward, term"
    ):
        world.step(np.zeros(2, np.float32), WHERE)


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda seed: fail(None, None), r"failed in reset\(seed=5\) at the test: RuntimeError"),
        (lambda seed: (np.float32([0, 0, np.nan]), {}), r"nan in its observation from reset at the test.*index 2"),
        (lambda seed: (np.zeros(4), {}), r"shape \(4,\) and type float64 from reset"),
        (lambda seed: np.zeros(3), "returned a ndarray from reset at the test: expected observation, info"),
    ],
)
def test_nonsense_in_a_reset_is_stopped(answer, message):
    env = Drift()
    world = World(lambda: env, "Own-v0")
    env.reset = answer
    with pytest.raises(PacerError, match=message):
        world.reset(5, "the test")


def test_observations_and_rewards_of_other_types_are_taken_as_float32_and_float():
    world = started(Faulty(lambda o, r: (o.astype(np.float64), np.array([2])), step=1))
    obs, reward, terminated, truncated, _ = world.step(np.zeros(2, np.float32), WHERE)
    assert obs.dtype == np.float32
    assert type(reward) is float
    assert reward == 2.0
    assert (type(terminated), type(truncated)) == (bool, bool)


def test_asymmetric_bounds_reach_the_environments_own_box():
    got = []
    env = Drift()
    world = started(env)
    step = env.step
    env.step = lambda action: got.append(action) or step(action)
    for action in ([-1, -1], [1, 1], [0, 0], [-0.5, 0.5]):
        world.step(np.float32(action), WHERE)
    middle = (LOW + HIGH) / 2
    np.testing.assert_allclose(got, [LOW, HIGH, middle, middle + (HIGH - LOW) * [-0.25, 0.25]], rtol=1e-6)
    assert all(env.action_space.contains(action) for action in got)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_action_leaves_a_box_whose_bounds_float32_cannot_hold(dtype):
    box = Box(np.full(3, -0.1, dtype), np.array([0.1, 0.3, 1 / 3], dtype), dtype=dtype)
    world = World(lambda: Spaces(VECTOR, box), "Own-v0")
    for corner in (-1, 1):
        action = to_box(np.full(3, corner, np.float32), world.low, world.high, dtype)
        assert box.contains(action)
        np.testing.assert_allclose(action, box.low if corner < 0 else box.high, rtol=1e-6)
