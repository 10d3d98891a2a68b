"""Return units: what the rewards are multiplied by changes nothing that is learned."""

import gymnasium as gym
import numpy as np

import pacer
from tests.tiny_runs import train
from tests.worlds import Drift

FACTOR = 64.0  # a power of two: rewards and all that is made of them scale without rounding


def louder():
    return gym.wrappers.TransformReward(Drift(), lambda reward: FACTOR * reward)


def test_a_run_learns_the_same_in_every_unit_of_reward(tmp_path):
    train(tmp_path / "plain")
    train(tmp_path / "louder", louder)
    plain, loud = pacer.load(tmp_path / "plain" / "agent"), pacer.load(tmp_path / "louder" / "agent")
    obs, action = np.float32([0.3, -0.2, 0.1]), np.float32([0.1, 0.4])
    np.testing.assert_array_equal(loud.predict(obs, deterministic=True)[0], plain.predict(obs, deterministic=True)[0])
    assert plain.scaling.unit != 1.0
    assert loud.scaling.unit == FACTOR * plain.scaling.unit
    np.testing.assert_array_equal(loud.returns(obs, action).value, FACTOR * plain.returns(obs, action).value)
