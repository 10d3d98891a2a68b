"""An experiment of small runs in a file of its own, as users have them, and the command line in a process."""

import os
import subprocess
import sys
from pathlib import Path

from tests.tiny_runs import results

ROOT = Path(__file__).parents[2]
SWEEP = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
import gymnasium
from pacer.experiments import Cell, Experiment
from tests.worlds import Breaks, Drift

class Slow(Drift):
    def step(self, action):
        time.sleep(float(os.environ.get("PACER_TEST_SLEEP", 0)))
        return super().step(action)

gymnasium.register("Slow-v0", Slow)
gymnasium.register("Breaks-v0", Breaks)
TINY = {{
    "recipe.batch": 16, "recipe.encourager.samples": 4, "recipe.critic.levels": 4,
    "recipe.actor.body.hidden": (16, 16), "recipe.critic.body.hidden": (16, 16),
    "schedule.block": 10, "schedule.updates": 2, "schedule.warm_up": 40, "schedule.learn_after": 20,
    "schedule.evaluate_every": 50, "schedule.evaluation_episodes": 2, "schedule.checkpoint_every": 50,
    "schedule.log_every": 20, "schedule.replay_capacity": 120,
}}
CELLS = [Cell("pacer-m-adaptive", env, name="tiny", overrides=TINY) for env in ENVS]
EXPERIMENT = Experiment("tiny runs", tuple(CELLS), steps=200, seeds=2, size="small")
"""


def write_sweep(folder, *envs):
    """The file of an experiment on these environments, two seeds each."""
    file = folder / "sweep.py"
    file.write_text(f"ENVS = {envs!r}\n{SWEEP}", encoding="utf-8")
    return file


def command(*words):
    return [sys.executable, "-m", "pacer", "bench", *map(str, words)]


def bench(folder, *words, **variables):
    """The command in a process of its own, in a folder of its own."""
    return subprocess.run(
        command(*words),
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def finished(folder):
    """Every finished run below a folder: its files as far as equal runs have them in common."""
    done = sorted((folder / "runs").rglob("DONE"))
    return {str(path.parent.relative_to(folder)): results(path.parent) for path in done}
