"""What an experiment shows while it goes: a live table on a terminal, lines elsewhere."""

import math
import sys
import time
from collections.abc import Sequence

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pacer.experiments.plan import Job
from pacer.experiments.progress import pace, steps_done, time_left
from pacer.observers.display import duration

REFRESH = 1.0  # seconds between two looks at the run folders
REPORT = 60.0  # seconds between two lines where there is no terminal


class Board:
    """Follows the runs of a plan in their folders."""

    def __init__(self, jobs: Sequence[Job], lanes: int) -> None:
        self._jobs, self._lanes = jobs, lanes
        self._steps = {job.number: steps_done(job) for job in jobs}
        self._paces: dict[int, float] = {}
        self._done = {job.number for job in jobs if job.done()}
        self._failed: set[int] = set()
        self._looked = self._said = 0.0
        self._console = Console()
        self._live: Live | None = None

    def __enter__(self) -> "Board":
        if self._console.is_terminal and sys.stdout.isatty():
            self._live = Live(console=self._console, auto_refresh=False)
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live:
            self._live.update(self._table([]), refresh=True)
            self._live.stop()

    def say(self, text: str) -> None:
        if self._live:
            self._console.print(text, markup=False, highlight=False)
        else:
            print(text, flush=True)

    def ended(self, job: Job, error: str | None) -> None:
        """A run is done, or failed; said with what that makes of the whole."""
        (self._done if error is None else self._failed).add(job.number)
        self._steps[job.number] = steps_done(job)
        self.say(f"{job.title}: {'done' if error is None else f'failed: {error}'}")
        if not self._live:
            self.say(self.summary())

    def look(self, running: Sequence[Job]) -> None:
        """Show where the runs are, if it is time."""
        now = time.monotonic()
        if now - self._looked < REFRESH:
            return
        self._looked = now
        for job in running:
            self._steps[job.number] = steps_done(job)
            self._paces[job.number] = pace(job)
        if self._live:
            self._live.update(self._table(running), refresh=True)
        elif now - self._said > REPORT:
            self._said = now
            self.say(self.summary())

    def summary(self) -> str:
        """One line on all runs."""
        steps, total = sum(self._steps.values()), sum(job.config.steps for job in self._jobs)
        failed = f", {len(self._failed)} failed" if self._failed else ""
        to_come = [job for job in self._jobs if job.number not in self._done | self._failed]
        left = time_left(to_come, self._steps, self._paces, self._lanes)
        ahead = f", about {duration(left)} left" if math.isfinite(left) and to_come else ""
        return f"{len(self._done)} of {len(self._jobs)} runs done{failed}; {steps:,} of {total:,} steps{ahead}"

    def _table(self, running: Sequence[Job]) -> Group:
        table = Table.grid(padding=(0, 2))
        for job in running:
            steps = self._steps[job.number]
            bar = ProgressBar(total=job.config.steps, completed=steps, width=20)
            label = Text(job.config.label, no_wrap=True, overflow="ellipsis")  # the only part that may be long
            table.add_row(Text(job.config.environment), label, f"seed {job.config.seed}", bar, f"{steps:,}")
        return Group(table, Text(self.summary(), style="bold"))
