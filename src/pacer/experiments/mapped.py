"""Jobs in this process, all seeds of a cell at once: their updates are one compiled block, mapped over the seeds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pacer.envs.make import maker
from pacer.experiments.board import Board
from pacer.experiments.job import look_at_agents
from pacer.experiments.plan import Job
from pacer.observers import Observer
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
            make = maker(cell[0].config.environment, cell[0].config.environment_options)
            told = {job.folder: _observers(job, todo, board) for job in todo}
            # Those that are done count for the width, so that the block is the one they were trained with.
            errors = execute_together({job.folder: job.config for job in todo}, make, told, len(cell))
            for job in todo:
                error = errors.get(job.folder)
                if error:
                    failures[job.title] = str(error)
                else:
                    look_at_agents(job)
                board.ended(job, str(error) if error else None)
    return failures


def _observers(job: Job, running: Sequence[Job], board: Board) -> list[Observer]:
    def look(event: Any) -> None:
        board.look(running)

    return [look, *([tracker(job.track, job.folder, job.config)] if job.track else [])]
