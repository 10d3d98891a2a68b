"""Runs small enough for tests, and what they leave behind."""

import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from pacer.config import Config, Schedule
from pacer.presets import Size
from pacer.recipes import RECIPES
from pacer.training.execute import execute
from pacer.training.stopping import Stopped
from tests.worlds import Drift

TINY = Size(hidden=(16, 16), levels=4, samples=4, batch=16, warm_up=0)
RECIPE = TINY.apply(RECIPES["pacer-m-adaptive"][1])
# The replay is smaller than the run, so that it wraps around; episodes end anywhere in a block.
SCHEDULE = Schedule(
    block=10,
    updates=2,
    warm_up=40,
    learn_after=20,
    evaluate_every=50,
    evaluation_episodes=2,
    checkpoint_every=50,
    log_every=20,
    replay_capacity=120,
)
STEPS = 200
# Wall-clock times, and what depends on their number of digits.
TIMES = ("timings.csv", "progress.json", "manifest.json", "run.json", ".lock")


def configuration(steps=STEPS, seed=0, recipe=RECIPE, environment="Drift-v0", **schedule):
    return Config(environment, {}, "pacer-m-adaptive", recipe, seed, steps, schedule=replace(SCHEDULE, **schedule))


def train(folder: Path, make=Drift, report=lambda facts: None, **changes):
    execute(configuration(**changes), folder, make, [report])


def results(folder: Path) -> dict[str, bytes]:
    """Every file that equal runs have in common, byte for byte."""
    files = (p for p in folder.rglob("*") if p.is_file() and p.name not in TIMES)
    return {str(p.relative_to(folder)): p.read_bytes() for p in files}


def everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Content and time of change of every file but the lock."""
    files = (p for p in folder.rglob("*") if p.is_file() and p.name != ".lock")
    return {str(p.relative_to(folder)): (p.read_bytes(), p.stat().st_mtime_ns) for p in files}


def newest(folder):
    """The newest checkpoint of a run."""
    return max((folder / "checkpoint").iterdir(), key=lambda p: p.name.isdigit() and int(p.name))


def once(step, action):
    """A report that acts at the first block that reaches `step`."""
    done = []

    def report(facts):
        if facts.get("step", 0) >= step and not done:
            done.append(step)
            action()

    return report


def send(*signals):
    """Signals to this process."""
    # Outside the main thread the run would not catch it, and the test process would end.
    assert threading.current_thread() is threading.main_thread()
    for number in signals:
        signal.raise_signal(number)


def stop_at(folder, step, **changes):
    """Train until a signal comes, in the block that reaches `step`."""
    with pytest.raises(Stopped):
        train(folder, report=once(step, lambda: send(signal.SIGTERM)), **changes)
