"""Jobs on this machine: as many processes at a time as there are cores, and as memory allows."""

import os
import time
from collections import deque
from collections.abc import Sequence

from pacer.experiments import memory
from pacer.experiments.board import Board
from pacer.experiments.child import Child
from pacer.experiments.memory import GIGABYTE
from pacer.experiments.plan import Job
from pacer.runs import lock
from pacer.training.stopping import Stopped, signals

PAUSE = 0.2  # seconds between two looks at the processes
FLOOR = GIGABYTE // 2  # less than this available, and a run is set aside


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_here(jobs: Sequence[Job], words: Sequence[str], processes: int) -> dict[str, str]:
    """Carry out the jobs that are not done; returns the titles of those that failed, and why.

    A signal stops every run with a checkpoint.
    """
    asked: list[Stopped] = []
    todo = [job for job in jobs if not job.done()]
    with Board(jobs, processes) as board, signals(asked.append):
        pool = Pool(todo, words, processes, board)
        while pool.busy() and not asked:
            pool.attend()
            time.sleep(PAUSE)
        if asked:
            board.say(f"stopping: {len(pool.running)} runs save where they are; once more, and nobody waits for them")
            pool.stop()
    if asked:
        raise asked[0]
    return pool.failures


class Pool:
    """Processes that come and go until no job waits."""

    def __init__(self, jobs: Sequence[Job], words: Sequence[str], processes: int, board: Board) -> None:
        self.running: list[Child] = []
        self.failures: dict[str, str] = {}
        self._waiting = deque(jobs)
        self._words, self._processes, self._board = words, processes, board
        self._set_aside: set[int] = set()  # processes that were stopped to be continued
        self._need = GIGABYTE  # bytes that a run is expected to take; more once one has
        self._told: set[str] = set()

    def busy(self) -> bool:
        return bool(self.running or self._waiting)

    def attend(self) -> None:
        """See who has ended, make room where memory is short, start who may start."""
        for child in [child for child in self.running if child.ended()]:
            self._end(child)
        self._need = max([self._need, *(memory.peak(child.pid) or 0 for child in self.running)])
        self._make_room()
        if len(self.running) < self._processes and (job := self._next()):
            self.running.append(Child(job, self._words))
        self._board.look([child.job for child in self.running])

    def stop(self) -> None:
        for child in self.running:
            child.stop()
        for child in self.running:
            child.wait()
            child.error()  # tidies up

    def _end(self, child: Child) -> None:
        self.running.remove(child)
        error = child.error()
        # Another process took the folder in between, or this one was stopped to make room: later, then.
        if error and (child.pid in self._set_aside or lock.held(child.job.folder)):
            self._waiting.append(child.job)
            return
        if error:
            self.failures[child.job.title] = error
        self._board.ended(child.job, error)

    def _next(self) -> Job | None:
        """The next job whose folder nobody else holds, if there is memory for it."""
        free = memory.available()
        if self.running and free is not None and free < self._need + FLOOR:
            self._tell("memory", f"{free / GIGABYTE:.1f} GB of memory are available and a run may take "
                       f"{self._need / GIGABYTE:.1f}: no further run is started for now")  # fmt: skip
            return None
        for job in list(self._waiting):
            if lock.held(job.folder):
                self._tell(job.title, f"{job.title} is in use by another process: waiting for it")
                continue
            self._waiting.remove(job)
            if not job.done():  # that other process may have done it
                return job
            self._board.ended(job, None)
        return None

    def _make_room(self) -> None:
        """Where memory runs out, the youngest run is stopped, to be continued."""
        free = memory.available()
        if free is not None and free < FLOOR and len(self.running) > 1 and not self._set_aside & self._pids():
            child = self.running[-1]
            self._board.say(f"memory is short: {child.job.title} is set aside, and continued later")
            self._set_aside.add(child.pid)
            child.stop()

    def _pids(self) -> set[int]:
        return {child.pid for child in self.running}

    def _tell(self, about: str, text: str) -> None:
        """Said once, however long it holds."""
        if about not in self._told:
            self._told.add(about)
            self._board.say(text)
