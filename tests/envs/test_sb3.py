"""Stable-Baselines3 accepts all environments of this package."""

import warnings

import gymnasium
import pytest

from pacer.envs.registration import ENVIRONMENTS, register_environments

env_checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="needs the extra pacer-rl[sb3]")
register_environments()


@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_stable_baselines3_accepts_the_environment(id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env_checker.check_env(gymnasium.make(id), warn=True)
