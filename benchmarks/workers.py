"""Steps per second with a slow simulator: one environment, then four, stepped by four processes.

    python benchmarks/workers.py [--recipe sac]

The environment is a point that sleeps 10 ms in every step. Collecting is what processes speed up; updates take the time
they take, so the whole run gains less, and the more the slower its simulator.
"""

import argparse
import tempfile
import time
from collections import Counter
from typing import Any

import gymnasium
import numpy as np

import pacer
from pacer.observers import Progress

STEP = 0.010  # seconds
STEPS = 1_500


class Slow(gymnasium.Env[Any, Any]):
    """A point that is pushed about, by a simulator that takes its time."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,))
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (3,))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = self.np_random.normal(size=3)
        self.steps = 0
        return self.place.astype(np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        time.sleep(STEP)
        self.place = self.place + 0.1 * action
        self.steps += 1
        return self.place.astype(np.float32), -float(np.abs(self.place).sum()), False, self.steps == 200, {}


def measure(recipe: str, envs: int, workers: int) -> tuple[float, float]:
    """Steps per second of collecting, and of collecting and learning together, after compilation."""
    seconds: Counter[str] = Counter()

    def observe(event: Any) -> None:
        if isinstance(event, Progress) and event.step > STEPS // 3:
            seconds.update(event.seconds)

    schedule = pacer.Schedule(warm_up=100, learn_after=100, evaluate_every=STEPS, evaluation_episodes=1)
    with tempfile.TemporaryDirectory() as folder:
        pacer.train(
            Slow, recipe, STEPS, schedule=schedule, run_dir=folder, envs=envs, env_workers=workers, observers=[observe]
        )
    steps = STEPS - STEPS // 3
    return steps / seconds["collect"], steps / (seconds["collect"] + seconds["learn"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", default="sac")
    recipe = parser.parse_args().recipe
    print(f"{'environments':>12}  {'processes':>9}  {'collecting':>12}  {'whole run':>12}   (steps per second)")
    results = []
    for envs, workers in ((1, 0), (4, 0), (4, 4)):
        results.append(measure(recipe, envs, workers))
        print(f"{envs:12}  {workers:9}  {results[-1][0]:12.0f}  {results[-1][1]:12.0f}", flush=True)
    collecting, whole = (after / before for before, after in zip(results[0], results[-1], strict=True))
    print(f"four processes: {collecting:.1f}x the steps per second of collecting, {whole:.1f}x of the whole run")


if __name__ == "__main__":
    main()
