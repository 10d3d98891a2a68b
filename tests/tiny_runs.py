"""Runs small enough for tests, and what they leave behind."""

import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from pacer.config import Config, Schedule
from pacer.observers import Progress
from pacer.pieces import Held
from pacer.presets import Size
from pacer.recipes import RECIPES
from pacer.runs.arrays import load_arrays
from pacer.training.execute import execute
from pacer.training.stopping import Stopped
from tests.worlds import Drift

TINY = Size(hidden=(16, 16), levels=4, samples=4, batch=16, warm_up=0)
# With everything that a run has to bring back: a weight that moves, units of return, noise that lasts.
RECIPE = replace(TINY.apply(RECIPES["pacer"][1]), noise=Held(longest=5))
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
TIMES = ("timings.csv", "manifest.json", "run.json", ".lock")


def configuration(steps=STEPS, seed=0, recipe=RECIPE, environment="Drift-v0", envs=1, **schedule):
    return Config(
        environment=environment,
        environment_options={},
        label="pacer-m-adaptive",
        recipe=recipe,
        seed=seed,
        steps=steps,
        envs=envs,
        schedule=replace(SCHEDULE, **schedule),
    )


def train(folder: Path, make=Drift, observers=(), env_workers=0, step_timeout=None, **changes):
    execute(configuration(**changes), folder, make, observers, env_workers, step_timeout)


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


def lanes(folder):
    """Where the environments were at the newest checkpoint: episode, steps, total, rows."""
    arrays = load_arrays(newest(folder) / "state.safetensors")
    return {name: arrays[f"lanes/{name}"] for name in ("episode", "steps", "total", "rows")}


def once(step, action):
    """An observer that acts at the first block that reaches `step`, and answers what the action does."""
    done = []

    def observe(event):
        if isinstance(event, Progress) and event.step >= step and not done:
            done.append(step)
            return action()
        return None

    return observe


def told(kind, into):
    """An observer that collects the events of a kind."""

    def observe(event):
        if isinstance(event, kind):
            into.append(event)

    return observe


def send(*signals):
    """Signals to this process."""
    # Outside the main thread the run would not catch it, and the test process would end.
    assert threading.current_thread() is threading.main_thread()
    for number in signals:
        signal.raise_signal(number)


def stop_at(folder, step, observers=(), signals=(signal.SIGTERM,), **changes):
    """Train until signals come, in the block that reaches `step`."""
    with pytest.raises(Stopped):
        train(folder, observers=[once(step, lambda: send(*signals)), *observers], **changes)
