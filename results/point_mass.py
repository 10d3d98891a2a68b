"""Who leaves a small reward nearby for a large one far away: a point on a plane, cells visited and goals reached.

python results/point_mass.py        # rows that tables/point_mass.csv has already are not run again
"""

import itertools
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
from table import fill

import pacer
from pacer.config import Schedule

OVERRIDES: dict[str, dict[str, Any]] = {
    "sac, entropy not in the return": {"recipe.backup.penalty_in_return": False},
    "sac, temperature from 0.05": {"recipe.weight.initial": 0.05},
}
LABELS = ("m0p1", "m0p1g", "pacer-m", "pacer", "m1p0", "sac", *OVERRIDES)
SEEDS, STEPS = 5, 6_000
NEAR, FAR = np.array([0.3, 0.0]), np.array([-0.8, -0.8])
RADIUS = 0.15


class PointMass(gymnasium.Env[np.ndarray, np.ndarray]):
    """Steps of up to 0.1 on a square from its centre; per step 0.1 at the near place and 1 at the far one."""

    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)
    made: ClassVar[list["PointMass"]] = []
    EPISODE_MEANS: ClassVar = {"far": "far"}

    def __init__(self) -> None:
        self.steps, self.cells = 0, set[tuple[int, int]]()
        self.made.append(self)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.place = np.zeros(2)
        return self.place.astype(np.float32), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.place = np.clip(self.place + 0.1 * np.clip(action, -1, 1), -1, 1)
        self.steps += 1
        self.cells.add(tuple(np.minimum((self.place + 1) * 10, 19).astype(int).tolist()))  # of 20 x 20
        near, far = (bool(np.linalg.norm(self.place - place) <= RADIUS) for place in (NEAR, FAR))
        return self.place.astype(np.float32), 0.1 * near + far, False, False, {"far": far}


def trial(label: str, seed: int) -> tuple[int, float, float]:
    """Cells visited while training, and the share of the last episodes' time at the far place, greedy and sampled."""
    PointMass.made.clear()
    schedule = Schedule(warm_up=100, learn_after=100, evaluate_every=STEPS, checkpoint_every=STEPS)
    hidden = {f"recipe.{part}.body.hidden": (64, 64) for part in ("actor", "critic")}
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        make = lambda: gymnasium.wrappers.TimeLimit(PointMass(), 100)  # noqa: E731
        options = {"schedule": schedule, "overrides": hidden | OVERRIDES.get(label, {}), "quiet": True}
        pacer.train(make, label.split(",")[0], steps=STEPS, seed=seed, run_dir=run, name="point-mass", **options)
        found = pacer.Run(run).evaluations()
    at_far = {mode: float(np.mean(found["far"][found["mode"] == mode])) for mode in ("greedy", "sampled")}
    training = max(PointMass.made, key=lambda env: env.steps)  # evaluations take fewer steps
    return len(training.cells), at_far["greedy"], at_far["sampled"]


if __name__ == "__main__":
    columns = ("recipe", "seed", "cells", "far_greedy", "far_sampled")
    fill("point_mass", columns, itertools.product(LABELS, range(SEEDS)), trial)
