"""A configuration becomes a run in a folder."""

from collections.abc import Sequence
from pathlib import Path

import jax

from pacer.agent import Agent
from pacer.config import WATCHING, Config
from pacer.observers import Audience, Observer
from pacer.runs.codec import encode
from pacer.runs.folder import RunFolder
from pacer.runtime import facts, has_one_thread, keep_compiled_blocks
from pacer.training.loop import run
from pacer.training.world import MakeEnvironment


def execute(
    config: Config,
    path: Path,
    make: MakeEnvironment,
    observers: Sequence[Observer] = (),
    env_workers: int = 0,
    step_timeout: float | None = None,
    start: Agent | None = None,
) -> None:
    """Train as configured, from where the folder's run stopped; a finished run is left as it is, which is said.

    `start` is the agent that a new run begins with.
    """
    every, watching = config.schedule.checkpoint_every, [f"schedule.{name}" for name in WATCHING]
    keep_compiled_blocks()
    exact, backend = has_one_thread(), jax.default_backend()
    folder = RunFolder(path, encode(config), config.steps, exact, facts(backend), every, watching)
    try:
        if folder.finished(config.steps):
            said = f"already finished, nothing trained: {path} holds the whole run of {config.steps:,} steps"
            Audience(observers).warn(f"{said}. More steps extend it; another seed, name or folder begins anew")
        else:
            run(config, folder, make, observers, env_workers, step_timeout, start)
    finally:
        folder.close()
