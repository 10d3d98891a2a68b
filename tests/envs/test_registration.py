"""The ids are known to Gymnasium once the package is imported, by hand or by the id; JAX is not."""

import pickle
import subprocess
import sys

import gymnasium
import pytest

from pacer.envs.make import maker
from pacer.envs.registration import ENVIRONMENTS, register_environments


def run(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_all_five_ids_are_registered_once() -> None:
    register_environments()
    before = {id: gymnasium.registry[id] for id in ENVIRONMENTS}
    register_environments()
    assert len(before) == 5
    assert all(gymnasium.registry[id] is spec for id, spec in before.items())
    assert all(spec.max_episode_steps == 1000 for spec in before.values())


@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_an_id_that_names_the_package_is_all_it_takes(id: str) -> None:
    code = f"""
import sys, gymnasium
env = gymnasium.make("pacer:{id}")
env.reset(seed=0)
env.step(env.action_space.sample())
assert "jax" not in sys.modules
print(env.spec.id)
"""
    assert run(code).strip() == id


def test_importing_the_package_registers_and_imports_no_environment_and_no_jax() -> None:
    code = """
import sys, gymnasium, pacer
assert not {"mujoco", "jax", "tyro", "rich"} & set(sys.modules)
print(*(id for id in gymnasium.registry if id.startswith("pacer/")))
"""
    assert run(code).split() == list(ENVIRONMENTS)


@pytest.mark.parametrize("name", ["Pendulum-v1", "pacer/CarNavigation1-v0"])
def test_what_makes_an_environment_can_be_sent_to_another_process(name: str) -> None:
    make = pickle.loads(pickle.dumps(maker(name, {}, "rgb_array")))
    env = make()
    assert env.spec.id == name
    assert env.render_mode == "rgb_array"
    env.close()


def test_vectorised_environments_work() -> None:
    register_environments()
    envs = gymnasium.make_vec("pacer/CarNavigation1-v0", num_envs=2, vectorization_mode="sync")
    observations, _ = envs.reset(seed=0)
    assert observations.shape == (2, 73)
    *_, infos = envs.step(envs.action_space.sample())
    assert infos["reward_distance"].shape == (2,)
    envs.close()
