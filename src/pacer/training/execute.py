"""A configuration becomes a run in a folder; or several, which differ in their seeds, become as many at once."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import jax

from pacer.agent import Agent
from pacer.config import WATCHING, Config
from pacer.errors import PacerError
from pacer.observers import Audience, Observer
from pacer.runs.checkpoints import REPLAY
from pacer.runs.codec import encode
from pacer.runs.folder import RunFolder
from pacer.runtime import facts, has_one_thread, keep_compiled_blocks
from pacer.training.loop import run
from pacer.training.together import run_together
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
    with closing(_open(config, path)) as folder:
        if folder.finished(config.steps):
            said = f"already finished, nothing trained: {path} holds the whole run of {config.steps:,} steps"
            longer = "More steps extend it; another" if (path / REPLAY).exists() else "Another"
            Audience(observers).warn(f"{said}. {longer} seed, name or folder begins anew")
        else:
            run(config, folder, make, observers, env_workers, step_timeout, start)


def execute_together(
    runs: Mapping[Path, Config], make: MakeEnvironment, observers: Mapping[Path, Sequence[Observer]], width: int
) -> dict[Path, Exception]:
    """Train runs, by their folders, that differ in their seeds alone, in blocks compiled for `width` of them.

    Returns the errors of those that failed. A run that is finished takes no part.
    """
    errors: dict[Path, Exception] = {}
    members = []
    with ExitStack() as stack:
        for path, config in runs.items():
            try:
                folder = stack.enter_context(closing(_open(config, path, width)))
                if not folder.finished(config.steps):
                    members.append((config, folder, observers.get(path, ())))
            except PacerError as error:
                errors[path] = error
        return errors | {folder.path: error for folder, error in run_together(members, make, width).items()}


def _open(config: Config, path: Path, together: int = 1) -> RunFolder:
    every, watching = config.schedule.checkpoint_every, [f"schedule.{name}" for name in WATCHING]
    keep_compiled_blocks()
    known = facts(jax.default_backend(), together)
    return RunFolder(path, encode(config), config.steps, has_one_thread(), known, every, watching)
