"""Whether the unit of reward matters to `pacer`: two small tasks with their rewards times 0.01, 1 and 100.

python results/reward_scale.py
"""

import itertools
import tempfile
from pathlib import Path

import gymnasium
import numpy as np
from table import fill

import pacer
from pacer.config import Schedule

TASKS = ("Pendulum-v1", "InvertedPendulum-v4")
FACTORS = (0.01, 1.0, 100.0)
SEEDS, STEPS = 2, 10_000


def trial(task: str, factor: float, seed: int) -> tuple[float, float]:
    """Mean return after training, greedy and sampled, in the task's own unit."""

    def make() -> gymnasium.Env:
        return gymnasium.wrappers.TransformReward(gymnasium.make(task), lambda reward: factor * reward)

    with tempfile.TemporaryDirectory() as folder:
        run, schedule = Path(folder) / "run", Schedule(evaluate_every=STEPS, checkpoint_every=STEPS)
        pacer.train(make, steps=STEPS, seed=seed, run_dir=run, name="scaled", schedule=schedule, quiet=True)
        found = pacer.Run(run).evaluations()
    greedy, sampled = (np.mean(found["return"][found["mode"] == mode]) / factor for mode in ("greedy", "sampled"))
    return round(float(greedy), 1), round(float(sampled), 1)


if __name__ == "__main__":
    columns = ("task", "factor", "seed", "greedy", "sampled")
    fill("reward_scale", columns, itertools.product(TASKS, FACTORS, range(SEEDS)), trial)
