"""The risky HalfCheetah: HalfCheetah-v4 in all but the penalty."""

import pickle
import warnings
from math import sqrt
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from pacer.envs.registration import register_environments
from pacer.envs.risky_cheetah import RiskyHalfCheetah

register_environments()
ID = "pacer/RiskyHalfCheetah-v0"
REST = np.zeros(6, np.float32)


def at_speed(env: Any, speed: float, steps: int) -> list[tuple[float, dict[str, Any]]]:
    """Rewards and infos of steps that each begin upright at this forward speed."""
    results = []
    for _ in range(steps):
        velocity = np.zeros(9)
        velocity[0] = speed
        env.unwrapped.set_state(env.unwrapped.init_qpos, velocity)
        _, reward, _, _, info = env.step(REST)
        results.append((reward, info))
    return results


def make(**options: Any) -> Any:
    env = gymnasium.make(ID, max_episode_steps=-1, **options)
    env.reset(seed=0)
    return env


def test_gymnasium_accepts_the_environment() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*infinity.*")
        check_env(gymnasium.make(ID).unwrapped, skip_render_check=True)


def test_it_is_halfcheetah_below_the_limit() -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*out of date.*")
        plain = gymnasium.make("HalfCheetah-v4")
    risky = gymnasium.make(ID)
    assert risky.observation_space.shape == (17,)
    assert risky.spec is not None
    assert risky.spec.max_episode_steps == 1000
    np.testing.assert_array_equal(plain.reset(seed=5)[0], risky.reset(seed=5)[0])
    rng = np.random.default_rng(0)
    for _ in range(100):
        action = rng.uniform(-1, 1, 6).astype(np.float32)
        expected, reward, *_ = plain.step(action)
        observation, found, _, _, info = risky.step(action)
        np.testing.assert_array_equal(observation, expected)
        assert found == pytest.approx(reward)
        assert info["penalty"] == 0.0


def test_the_penalty_falls_only_above_the_limit_and_with_its_probability() -> None:
    env, steps = make(), 4000
    slow = at_speed(env, 3.0, 300)
    assert all(info["velocity"] < 4.0 and info["penalty"] == 0.0 for _, info in slow)
    fast = at_speed(env, 8.0, steps)
    assert all(info["velocity"] > 4.0 for _, info in fast)
    assert {info["penalty"] for _, info in fast} == {0.0, 70.0}
    found = sum(info["penalty"] > 0 for _, info in fast) / steps
    print(f"penalised on {found:.4f} of the fast steps, expected 0.1")
    assert abs(found - 0.1) < 3 * sqrt(0.1 * 0.9 / steps)
    for reward, info in slow + fast:
        assert info["velocity"] == info["x_velocity"]
        assert (info["above_limit"], info["penalised"]) == (info["velocity"] > 4.0, info["penalty"] > 0.0)
        assert info["original_reward"] == pytest.approx(info["reward_run"] + info["reward_ctrl"])
        assert reward == pytest.approx(info["original_reward"] - info["penalty"])


def test_the_variant_that_loses_the_forward_reward() -> None:
    steps = 4000
    results = at_speed(make(probability=0.05, keep_forward_reward=False), 8.0, steps)
    penalised = [(reward, info) for reward, info in results if info["penalty"]]
    assert abs(len(penalised) / steps - 0.05) < 3 * sqrt(0.05 * 0.95 / steps)
    for reward, info in penalised:
        assert reward == pytest.approx(info["reward_ctrl"] - 70.0)
    for reward, info in results:
        if not info["penalty"]:
            assert reward == pytest.approx(info["original_reward"])


def test_draws_follow_the_seed() -> None:
    def penalties(seed: int) -> list[float]:
        env = make(probability=0.5)
        env.reset(seed=seed)
        np.random.seed(0)
        return [info["penalty"] for _, info in at_speed(env, 8.0, 60)]

    assert penalties(1) == penalties(1)
    assert penalties(1) != penalties(2)


def test_a_pickled_copy_keeps_its_options() -> None:
    env = RiskyHalfCheetah(penalty=5.0, probability=1.0, speed_limit=2.0, keep_forward_reward=False)
    copy = pickle.loads(pickle.dumps(env))
    assert (copy.penalty, copy.probability, copy.speed_limit, copy.keep_forward_reward) == (5.0, 1.0, 2.0, False)


@pytest.mark.parametrize("options", [{"probability": 1.1}, {"penalty": -70.0}])
def test_wrong_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected a number"):
        RiskyHalfCheetah(**options)
