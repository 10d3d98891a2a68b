"""The ids are known to Gymnasium without heavy imports, and without importing the package by hand."""

import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

from pacer.envs.registration import ENVIRONMENTS, register_environments, register_with_gymnasium


def run(code: str) -> str:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_all_five_ids_are_registered_once() -> None:
    register_environments()
    before = {id: gymnasium.registry[id] for id in ENVIRONMENTS}
    register_environments()
    register_with_gymnasium()
    assert len(before) == 5
    assert all(gymnasium.registry[id] is spec for id, spec in before.items())
    assert all(spec.max_episode_steps == 1000 for spec in before.values())


@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_making_an_environment_needs_no_jax(id: str) -> None:
    code = f"""
import sys
from pacer.envs.registration import register_environments
assert not {{"gymnasium", "numpy", "mujoco", "jax"}} & set(sys.modules)
register_environments()
import gymnasium
assert "mujoco" not in sys.modules
env = gymnasium.make({id!r})
env.reset(seed=0)
env.step(env.action_space.sample())
assert "jax" not in sys.modules
print(env.spec.id)
"""
    assert run(code).strip() == id


def test_the_ids_appear_when_gymnasium_is_imported_later(tmp_path: Path) -> None:
    source = Path(sys.modules["pacer.envs.registration"].__file__ or "").parents[2]
    line = "import pacer.envs.registration; pacer.envs.registration.register_with_gymnasium()"
    (tmp_path / "pacer.pth").write_text(f"{source}\n{line}\n")
    # A site folder's .pth files run at the start of the interpreter, before any code of the user.
    code = f"""
import site, sys
site.addsitedir({str(tmp_path)!r})
assert "gymnasium" not in sys.modules
import gymnasium
print(gymnasium.make("pacer/CarNavigation1-v0").spec.id)
print(sum(type(finder).__module__.startswith("pacer") for finder in sys.meta_path))
"""
    assert run(code).split() == ["pacer/CarNavigation1-v0", "0"]


def test_vectorised_environments_work() -> None:
    register_environments()
    envs = gymnasium.make_vec("pacer/CarNavigation1-v0", num_envs=2, vectorization_mode="sync")
    observations, _ = envs.reset(seed=0)
    assert observations.shape == (2, 73)
    *_, infos = envs.step(envs.action_space.sample())
    assert infos["reward_distance"].shape == (2,)
    envs.close()
