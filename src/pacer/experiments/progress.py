"""How far the runs of a plan are, and how long the others will take: read from their folders."""

import math
from collections.abc import Iterable, Sequence
from statistics import fmean

from pacer.errors import PacerError
from pacer.experiments.plan import Job
from pacer.runs.reader import Run

TAIL = 4096  # bytes, in which the last line of a log is found


def steps_done(job: Job) -> int:
    """Environment steps that the run's log tells of."""
    if job.done():
        return job.config.steps
    try:
        with (job.folder / "progress.csv").open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - TAIL))
            last = file.read().split(b"\n")[-2]  # the last of them may be half a line
        return min(int(last.split(b",")[0]), job.config.steps)
    except (OSError, IndexError, ValueError):
        return 0  # nothing yet, or only the header


def pace(job: Job) -> float:
    """Seconds per step, without the first entry, in which code was compiled; nan where there is no second."""
    try:
        timings = Run(job.folder).timings()
        first, *_, last = timings["step"]
        seconds = sum(values[1:].sum() for name, values in timings.items() if name != "step")
        return float(seconds / (last - first))
    except (PacerError, KeyError, ValueError, ZeroDivisionError):
        return math.nan


def time_left(jobs: Iterable[Job], done: dict[int, int], paces: dict[int, float], lanes: int) -> float:
    """Seconds until all jobs are done, `lanes` at a time; those without a pace take that of the most alike."""
    jobs = list(jobs)
    left = [(job, job.config.steps - done[job.number]) for job in jobs]
    known = [job for job in jobs if math.isfinite(paces.get(job.number, math.nan))]
    if not known:
        return math.nan
    seconds = [steps * fmean(paces[other.number] for other in _alike(job, known)) for job, steps in left if steps]
    return max(sum(seconds) / lanes, max(seconds, default=0.0))


def _alike(job: Job, known: Sequence[Job]) -> Sequence[Job]:
    """Runs of the same recipe on the same environment, or of the same recipe, or any."""
    same = [other for other in known if other.config.label == job.config.label]
    here = [other for other in same if other.config.environment == job.config.environment]
    return here or same or known
