"""A configuration becomes a run in a folder."""

from collections.abc import Sequence
from pathlib import Path

import jax

from pacer.config import Config
from pacer.observers import Observer
from pacer.runs.codec import encode
from pacer.runs.folder import RunFolder
from pacer.runtime import facts, has_one_thread
from pacer.training.loop import run
from pacer.training.world import MakeEnvironment


def execute(
    config: Config,
    path: Path,
    make: MakeEnvironment,
    observers: Sequence[Observer] = (),
    env_workers: int = 0,
    step_timeout: float | None = None,
) -> None:
    """Train as configured, from where the folder's run stopped; a finished run is left as it is."""
    folder = RunFolder(path, encode(config), config.steps, has_one_thread(), facts(jax.default_backend()))
    try:
        if not folder.finished(config.steps):
            run(config, folder, make, observers, env_workers, step_timeout)
    finally:
        folder.close()
