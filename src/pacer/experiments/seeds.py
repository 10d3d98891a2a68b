"""One configuration with several seeds: as many runs, at once."""

import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from pacer.config import Config, default_folder
from pacer.errors import PacerError
from pacer.experiments.local import cores, run_here
from pacer.experiments.plan import Job, check
from pacer.runs.reader import Run


def jobs_of(config: Config, seeds: Sequence[int], words: Sequence[str], root: Path | None) -> list[Job]:
    """A job for every seed, carried out by `pacer train` and these words; in `root/seedN`, or in the usual folders."""
    if len(set(seeds)) < len(seeds) or min(seeds) < 0:
        raise PacerError(f"seeds are {', '.join(map(str, seeds))}: expected different whole numbers, 0 or more")
    jobs = []
    for number, seed in enumerate(seeds):
        one = replace(config, seed=seed)
        folder = root / f"seed{seed}" if root else default_folder(one)
        line = ("train", *words, "--seed", str(seed), "--run-dir", str(folder))
        jobs.append(Job(number, one, folder, False, shlex.join(["pacer", *line]), words=line))
    return jobs


def train_all(jobs: Sequence[Job]) -> None:
    """Train them, a process of one thread each; what they reached is printed."""
    check(run_here(jobs, (), min(cores(), len(jobs))), jobs)
    reached = [final_score(job.folder) for job in jobs]
    for job, score in zip(jobs, reached, strict=True):
        print(f"seed {job.config.seed}: greedy return {score:,.1f}   {job.folder}")
    print(f"mean of {len(jobs)} seeds: {fmean(reached):,.1f}")


def final_score(folder: Path) -> float:
    """Mean greedy return of the last evaluation; nan where there was none."""
    told = Run(folder).evaluations()
    last = (told["mode"] == "greedy") & (told["step"] == told["step"].max(initial=-1))
    return float(told["return"][last].mean()) if last.any() else math.nan
