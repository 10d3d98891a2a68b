"""Jobs in this process, all seeds of a cell at once: their updates are one compiled block, mapped over the seeds."""

import traceback
from collections.abc import Sequence
from pathlib import Path

from pacer.envs.make import maker
from pacer.errors import PacerError
from pacer.experiments.board import Board
from pacer.experiments.child import log_file
from pacer.experiments.job import look_at_agents
from pacer.experiments.plan import Job
from pacer.observers import Event, Observer, Warned
from pacer.observers.tracking import tracker
from pacer.training.execute import execute_together


def run_mapped(jobs: Sequence[Job]) -> dict[str, str]:
    """Carry out the jobs that are not done, cell by cell; returns the titles of those that failed, and why."""
    cells: dict[Path, list[Job]] = {}
    for job in jobs:
        cells.setdefault(job.folder.parent, []).append(job)  # which its seeds share, and nothing else does
    failures: dict[str, str] = {}
    with Board(jobs, 1) as board:
        for cell in cells.values():
            todo = [job for job in cell if not job.done()]
            errors = _train(todo, len(cell), board)
            for job in todo:
                error = errors.get(job.folder) or _look(job)
                if error:
                    failures[job.title] = _told(job, error)
                else:
                    log_file(job.folder).unlink(missing_ok=True)
                board.ended(job, failures.get(job.title))
    return failures


def _train(jobs: Sequence[Job], width: int, board: Board) -> dict[Path, Exception]:
    """Train runs of a cell of `width`: those that are done count, so that the block stays the one they had."""
    try:
        make = maker(jobs[0].config.environment, jobs[0].config.environment_options) if jobs else None
        observers = {job.folder: _observers(job, jobs, board) for job in jobs}
        return execute_together({job.folder: job.config for job in jobs}, make, observers, width) if make else {}
    except PacerError as error:
        return {job.folder: error for job in jobs}


def _look(job: Job) -> Exception | None:
    try:
        look_at_agents(job)
    except PacerError as error:
        return error
    return None


def _told(job: Job, error: Exception) -> str:
    """The error in a line; all of it is in a file beside the run's folder, as that of a process would be."""
    file = log_file(job.folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    return f"{error} (all of it is in {file})"


def _observers(job: Job, running: Sequence[Job], board: Board) -> list[Observer]:
    def look(event: Event) -> None:
        if isinstance(event, Warned):
            board.say(f"{job.title}: {event.message}")
        board.look(running)

    return [look, *([tracker(job.track, job.folder, job.config)] if job.track else [])]
