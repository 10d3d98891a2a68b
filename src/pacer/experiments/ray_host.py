"""What a Ray node does with a job: the same process as on one machine, in a folder here or on shared storage."""

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from pacer.experiments.child import Child
from pacer.experiments.courier import Outbox, Parcel, unpack
from pacer.experiments.plan import Choices, plan
from pacer.runs import lock

POLL = 2.0  # seconds that a node waits for news before it answers that there are none


@dataclass(frozen=True)
class News:
    """What became of a job since the last time it was asked for."""

    ended: bool = False
    error: str | None = None
    again: bool = False
    """Whether it is worth another try."""
    parcel: Parcel | None = None


class Host:
    """One job on a node; made by Ray as an actor."""

    def __init__(self, choices: Choices, number: int, source: str | None, mark: Path, scratch: str | None) -> None:
        """`source` is the text of the experiment's file, if it is one; who sees the `mark` shares the driver's disk."""
        self.shared = scratch is None and mark.exists()
        if scratch:
            Path(scratch).mkdir(parents=True, exist_ok=True)
        self._own = Path(tempfile.mkdtemp(prefix="pacer-", dir=scratch))
        if source is not None and not Path(choices.experiment).exists():
            choices = replace(choices, experiment=str(self._own / Path(choices.experiment).name))
            Path(choices.experiment).write_text(source, encoding="utf-8")
        self._choices = choices if self.shared else replace(choices, runs=self._own / "runs")
        self._job = plan(self._choices)[number]
        self._outbox = Outbox(self._job.folder)
        self._child: Child | None = None
        self._stopped = False

    def wants_files(self) -> bool:
        """Whether this node must be sent what the run has so far."""
        return not self.shared

    def receive(self, parcel: Parcel) -> None:
        unpack(parcel, self._job.folder)
        self._outbox.mark()

    def stop(self) -> None:
        self._stopped = True
        if self._child:
            self._child.stop()

    def poll(self) -> News:
        """Start the job if it is not started, wait a little, and tell the news."""
        if self._child is None:
            if self._stopped:
                return News(ended=True, error="stopped")
            if lock.held(self._job.folder):  # by a process of a node that Ray has given up, which is about to end
                return News()
            self._child = Child(self._job, self._choices.words())
        if not self._child.wait(POLL):
            due = not self.shared and self._outbox.due()
            return News(parcel=self._outbox.pack() if due else None)
        error = self._child.error()
        parcel = None if self.shared else self._outbox.pack()
        shutil.rmtree(self._own, ignore_errors=True)
        return News(ended=True, error=error, again=self._child.killed(), parcel=parcel)
