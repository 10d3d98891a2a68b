"""Speed of the navigation tasks against their own physics, on one core.

    python benchmarks/environments.py

The raw rate is that of the same model driven by the same actions, ten substeps in one call of mj_step. Both are timed
in turns, in the same process, so that a busy machine slows both. Safety-Gymnasium reports about 700 steps per second
on a machine of this class.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import time
from collections.abc import Callable

import gymnasium
import mujoco
import numpy as np
from numpy.typing import NDArray

from pacer.envs.registration import register_environments

TASKS = ("CarNavigation1", "CarNavigation2", "CarNavigation3", "CarNavigation4")
SAFETY_GYMNASIUM = 700
TARGET = 0.70
STEPS = 500
TURN = 20
ROUNDS = 12


def seconds(step: Callable[[NDArray[np.float32]], object], actions: NDArray[np.float32]) -> float:
    """Time of driving these actions."""
    start = time.perf_counter()
    for action in actions:
        step(action)
    return time.perf_counter() - start


def measure(task: str, rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Steps per second of the bare physics and of the environment as `gymnasium.make` gives it, and their ratio."""
    bare, env = gymnasium.make(f"pacer/{task}-v0"), gymnasium.make(f"pacer/{task}-v0")
    model, data = bare.unwrapped.model, bare.unwrapped.data  # type: ignore[attr-defined]

    def physics(action: NDArray[np.float32]) -> None:
        data.ctrl[:] = action
        mujoco.mj_step(model, data, nstep=10)

    times = []
    for seed in range(rounds):
        actions = np.random.default_rng(seed).uniform(-1.0, 1.0, (STEPS, 2)).astype(np.float32)
        bare.reset(seed=seed)
        env.reset(seed=seed)
        turns = [(seconds(physics, turn), seconds(env.step, turn)) for turn in np.split(actions, STEPS // TURN)]
        times.append(np.sum(turns, axis=0) / STEPS)
    raw, whole = np.median(times, axis=0)
    return 1.0 / raw, 1.0 / whole, statistics.median(r / w for r, w in times)


def main() -> None:
    """Print one row per task."""
    register_environments()
    print(f"{'task':16}{'physics/s':>12}{'steps/s':>12}{'ratio':>8}{'target':>8}{'Safety-Gymnasium/s':>21}")
    for task in TASKS:
        raw, whole, ratio = measure(task)
        print(f"{task:16}{raw:12.0f}{whole:12.0f}{ratio:8.2f}{TARGET:8.2f}{SAFETY_GYMNASIUM:21d}")


if __name__ == "__main__":
    main()
