"""Jobs on a Ray cluster: an actor per run, which another replaces where a node is lost.

The run goes on from its checkpoint: on shared storage where the nodes see the driver's folder, else from the files
that came back with every checkpoint.
"""

import logging
import os
import secrets
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pacer.errors import PacerError
from pacer.experiments.board import Board
from pacer.experiments.courier import Outbox, unpack
from pacer.experiments.find import is_file
from pacer.experiments.plan import Choices, Job
from pacer.experiments.ray_host import Host, News
from pacer.training.stopping import Stopped, signals

PATIENCE = 120.0  # seconds that stopped runs have to save where they are


@dataclass(frozen=True)
class Cluster:
    """Which cluster, and what a run may have of it."""

    address: str | None = None
    gpus: float = 0.0
    retries: int = 5
    scratch: str | None = None


def run_on_ray(jobs: Sequence[Job], choices: Choices, cluster: Cluster) -> dict[str, str]:
    """Carry out the jobs that are not done; returns the titles of those that failed, and why."""
    ray = _connected(cluster.address)
    choices = replace(choices, runs=choices.runs.absolute(), experiment=_absolute(choices.experiment))
    choices.runs.mkdir(parents=True, exist_ok=True)
    mark = choices.runs / f".pacer-{secrets.token_hex(4)}"
    mark.touch()
    asked: list[Stopped] = []
    try:
        with Board(jobs, int(ray.cluster_resources().get("CPU", 1))) as board, signals(asked.append):
            fleet = Fleet(ray, choices, cluster, mark, board)
            fleet.start([job for job in jobs if not job.done()])
            while fleet.busy() and not asked:
                fleet.attend()
            if asked:
                board.say("stopping: the runs save where they are; once more, and nobody waits for them")
                fleet.stop()
    finally:
        mark.unlink(missing_ok=True)
        ray.shutdown()
    if asked:
        raise asked[0]
    return fleet.failures


class Fleet:
    """The actors, and the one answer that is awaited from each."""

    def __init__(self, ray: Any, choices: Choices, cluster: Cluster, mark: Path, board: Board) -> None:
        self.failures: dict[str, str] = {}
        self._ray, self._choices, self._cluster, self._mark, self._board = ray, choices, cluster, mark, board
        self._source = Path(choices.experiment).read_text("utf-8") if is_file(choices.experiment) else None
        # Retries are ours, not Ray's: a new actor must first be sent the files.
        self._host = ray.remote(num_cpus=1, num_gpus=cluster.gpus, max_restarts=0)(Host)
        self._awaited: dict[Any, tuple[Job, Any]] = {}  # by answer: its job and actor
        self._tries: dict[int, int] = {}
        self._running: dict[int, Job] = {}

    def busy(self) -> bool:
        return bool(self._awaited)

    def start(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            self._tries[job.number] = self._tries.get(job.number, -1) + 1
            host = self._host.remote(self._choices, job.number, self._source, self._mark, self._cluster.scratch)
            self._awaited[host.wants_files.remote()] = (job, host)

    def attend(self) -> None:
        """Take the answers that have come, and ask on."""
        ready, _ = self._ray.wait(list(self._awaited), num_returns=1, timeout=1.0)
        for answer in ready:
            job, host = self._awaited.pop(answer)
            try:
                self._take(job, host, self._ray.get(answer))
            except self._ray.exceptions.RayTaskError as error:  # ours or the user's: another node would say the same
                self._end(job, host, str(error.cause))
            except self._ray.exceptions.RayError as error:
                self._again(job, host, f"its node or process was lost ({type(error).__name__})")
        self._board.look(list(self._running.values()))

    def stop(self) -> None:
        """Ask all runs for an end, and take what they send until then."""
        for job, host in self._awaited.values():
            if job.number in self._running:
                host.stop.remote()
            else:
                self._ray.kill(host)  # it waits for a place on the cluster
        end = time.monotonic() + PATIENCE
        while self._running and self._awaited and time.monotonic() < end:
            self.attend()

    def _take(self, job: Job, host: Any, answer: bool | News) -> None:
        if not isinstance(answer, News):
            self._running[job.number] = job
            if answer and job.folder.exists():
                host.receive.remote(self._ray.put(Outbox(job.folder).pack()))
        elif answer.parcel:
            unpack(answer.parcel, job.folder)
        if isinstance(answer, News) and answer.ended:
            if answer.again and answer.error:
                self._again(job, host, answer.error)
            else:
                self._end(job, host, answer.error)
        else:
            self._awaited[host.poll.remote()] = (job, host)

    def _again(self, job: Job, host: Any, why: str) -> None:
        if self._tries[job.number] >= self._cluster.retries:
            self._end(job, host, f"{why}, after {self._cluster.retries} retries")
            return
        self._board.say(f"{job.title}: {why}; it goes on from its checkpoint elsewhere")
        self._running.pop(job.number, None)
        self._ray.kill(host)
        self.start([job])

    def _end(self, job: Job, host: Any, error: str | None) -> None:
        self._running.pop(job.number, None)
        self._ray.kill(host)
        if error:
            self.failures[job.title] = error
        self._board.ended(job, error)


def _connected(address: str | None) -> Any:
    try:
        import ray
    except ImportError as error:
        raise PacerError("--on ray needs the extra `ray`: pip install 'pacer-rl[ray]', on every node") from error
    with suppress(RuntimeError):
        ray.shutdown()
    try:
        _knock(address or os.environ.get("RAY_ADDRESS", ""))
        ray.init(address=address or "auto", log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, RuntimeError, ValueError) as error:
        raise PacerError(
            f"no Ray cluster at {address or 'this machine'} ({str(error).splitlines()[0]}): start one with "
            "`ray start --head` here and `ray start --address HOST:6379` on the others, or name one with --address"
        ) from error
    return ray


def _knock(address: str) -> None:
    """Ray itself takes minutes to find that nobody is there."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


def _absolute(experiment: str) -> str:
    return str(Path(experiment).absolute()) if is_file(experiment) else experiment
