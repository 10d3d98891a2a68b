"""A job in a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pacer.experiments.job import LEASH
from pacer.experiments.plan import Job


class Child:
    """The process of a job. What it prints is in a file beside the run's folder until the run is done."""

    def __init__(self, job: Job, words: Sequence[str]) -> None:
        """`words` are the choices of the plan that the job is of."""
        self.job = job
        self.log = log_file(job.folder)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("w", encoding="utf-8") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pacer", *(job.words or ("bench", *words, "--job", str(job.number)))],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, LEASH: "yes"},
                start_new_session=True,  # Ctrl-C is the parent's, which asks every child once
            )
        self.pid = self._process.pid

    def ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self) -> None:
        """Ask for an end, with a checkpoint."""
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether the process has ended by then."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self.ended()

    def killed(self) -> bool:
        """Whether the process was ended from outside, so that another may fare better."""
        return (self._process.returncode or 0) < 0

    def error(self) -> str | None:
        """Why the job is not done though its process has ended; nothing if it is done."""
        self.stop()  # closes the pipe
        if self.job.done():
            self.log.unlink(missing_ok=True)
            return None
        code = self._process.returncode
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"{last_line(self.log)} (exit code {code}; all it said is in {self.log})"


def log_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.log")


def last_line(log: Path) -> str:
    text = log.read_text(encoding="utf-8", errors="replace").strip() if log.exists() else ""
    return text.splitlines()[-1].removeprefix("pacer: ") if text else "it said nothing"
