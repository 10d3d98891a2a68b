"""One job, carried out in this process; and a leash, which ends it when the process that started it is gone."""

import os
import signal
import threading
from collections.abc import Sequence

from pacer.envs.make import maker
from pacer.experiments.plan import Job
from pacer.observers import Observer
from pacer.observers.tracking import tracker
from pacer.training.execute import execute

LEASH = "PACER_LEASH"  # set for processes whose standard input is held by the one that started them


def carry_out(job: Job, observers: Sequence[Observer] = ()) -> None:
    """Train, from where the run is, and look at its agents if that is asked for."""
    config = job.config
    told = [tracker(job.track, job.folder, config)] if job.track else []
    execute(config, job.folder, maker(config.environment, config.environment_options), [*observers, *told])
    look_at_agents(job)


def look_at_agents(job: Job) -> None:
    """Sample the agents of a run that is trained, if that is asked for and was not done."""
    if job.lacks_insight():
        from pacer.experiments.insight import examine

        # What is asked for, not what is read from the folder.
        examine(job.folder, env=job.config.environment, env_kwargs=job.config.environment_options)


def wear_leash() -> None:
    """Stop, as for SIGTERM, when standard input is closed: a parent that is killed can do no more than that."""
    if LEASH in os.environ:
        threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
