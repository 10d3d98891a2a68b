"""Return units: what the rewards are multiplied by changes nothing that is learned."""

from dataclasses import replace

import gymnasium as gym
import jax
import numpy as np
import pytest

import pacer
from pacer.training.state import LEEWAY, Collected, Lanes, initial_state
from pacer.training.statistics import Moments
from tests.tiny_runs import RECIPE, train
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


def collected(size):
    """A block whose rewards have this size."""
    rewards = size * np.resize([1.0, 1.0, -1.0], 1_000)
    return Collected(Lanes.empty(1), np.ones((1_000, 3), np.float32), rewards, [])


def returns(state):
    obs, action = np.ones((1, 3), np.float32), np.zeros((1, 2), np.float32)
    return RECIPE.critic.returns(state.learner.online.critic, obs, action, jax.random.key(0)).value * state.unit


def test_the_unit_is_chosen_before_learning_and_stays_until_it_is_far_off():
    state = initial_state(pacer.resolve("Pendulum-v1", RECIPE), pacer.pieces.Space(3, 2)).after(collected(32.0), RECIPE)
    assert state.unit == pytest.approx(32)
    state = state._replace(learner=state.learner._replace(updates=np.array(1)))
    same = state.after(collected(LEEWAY * 32.0), RECIPE)  # of all rewards so far, half are small
    assert same.unit == state.unit
    new = state.after(collected(1e4), RECIPE)
    assert new.unit == pytest.approx(np.sqrt((32.0**2 + 1e4**2) / 2))
    assert new.unit > LEEWAY * state.unit
    np.testing.assert_allclose(returns(new), returns(state), rtol=1e-5)


def test_a_unit_that_is_far_too_large_is_left_as_well():
    state = initial_state(pacer.resolve("Pendulum-v1", RECIPE), pacer.pieces.Space(3, 2)).after(collected(1.0), RECIPE)
    state = state._replace(learner=state.learner._replace(updates=np.array(1)))
    for _ in range(2_000):
        state = state.after(collected(0.0), RECIPE)
    assert state.unit == pytest.approx(1 / LEEWAY, rel=0.01)


@pytest.mark.parametrize("reward", [1e-3, 1.0, 1e3])
def test_the_first_reward_chooses_the_unit_however_late_it_comes(reward):
    state = initial_state(pacer.resolve("Pendulum-v1", RECIPE), pacer.pieces.Space(3, 2)).after(collected(0.0), RECIPE)
    state = state._replace(learner=state.learner._replace(updates=np.array(1)))
    assert state.after(collected(reward), RECIPE).unit == pytest.approx(reward / np.sqrt(2))


def test_without_any_reward_there_is_nothing_to_measure_by():
    state = initial_state(pacer.resolve("Pendulum-v1", RECIPE), pacer.pieces.Space(3, 2)).after(collected(0.0), RECIPE)
    assert state.unit == 1.0


def test_a_run_that_starts_from_an_agent_keeps_what_its_critic_knows():
    state = initial_state(pacer.resolve("Pendulum-v1", RECIPE), pacer.pieces.Space(3, 2))
    begun = state._replace(moments=Moments.of(np.zeros(3), np.ones(3), 10_000))  # as of an agent, in unit 1
    after = begun.after(collected(1e4), RECIPE)
    assert after.unit > 100
    np.testing.assert_allclose(returns(after), returns(begun), rtol=1e-5)


def test_an_agent_in_units_is_told_in_rewards_where_the_run_has_none(tmp_path):
    train(tmp_path)
    agent = pacer.load(tmp_path / "agent")
    recipe = replace(RECIPE, return_units=False)
    state = initial_state(pacer.resolve("Pendulum-v1", recipe), agent.space, agent)
    assert state.unit == 1.0
    obs, action = np.ones((1, 3), np.float32), np.zeros((1, 2), np.float32)
    found = recipe.critic.returns(state.learner.online.critic, obs, action, jax.random.key(0)).value
    expected = recipe.critic.returns(agent.networks.critic, obs, action, jax.random.key(0)).value * agent.scaling.unit
    np.testing.assert_allclose(found, expected, rtol=1e-5)
