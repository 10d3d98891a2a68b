"""`pacer bench`: an experiment's runs, here or on a cluster; or what they would be."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Literal

import tyro

from pacer.errors import PacerError
from pacer.experiments.find import find, names
from pacer.experiments.job import carry_out, wear_leash
from pacer.experiments.plan import RUNS, Choices, Job, check, plan
from pacer.imports import IMPORTED
from pacer.observers.display import Display
from pacer.observers.tracking import Tool, tracker


@dataclass(frozen=True)
class Arguments:
    """Run an experiment. Finished runs are skipped, interrupted ones continued, and cells shared by experiments."""

    experiment: tyro.conf.Positional[str]
    """The name of an experiment (`pacer bench` alone names them), or a Python file that defines EXPERIMENT."""
    steps: Annotated[float | None, tyro.conf.arg(metavar="INT")] = None
    """Steps of each run (1e5 is fine); like seeds and size the experiment's own by default, mostly the paper's."""
    seeds: int | None = None
    """How many seeds: 0, 1, 2, ..."""
    size: Literal["small", "paper"] | None = None
    only_recipe: tuple[str, ...] = ()
    """These recipes only, by recipe, name or label."""
    only_env: tuple[str, ...] = ()
    only_seed: tuple[int, ...] = ()
    runs: Path = RUNS
    """Where the runs live, as ENV/LABEL/seedN."""
    insight: bool = False
    """Sample every run's agents afterwards, for heat maps and return distributions; experiments may ask for it."""
    track: Tool | None = None
    """Also tell the runs' figures to TensorBoard (event files in their folders) or to Weights & Biases."""
    on: Literal["local", "vmap", "ray"] = "local"
    """This machine, a process per run; this process, all seeds of a cell as one compiled block; or a Ray cluster."""
    processes: int | None = None
    """Runs at a time on this machine; as many as it has cores by default. Each has one thread."""
    address: str | None = None
    """Of the Ray cluster; the one that runs on this machine, or that of RAY_ADDRESS, by default."""
    gpus: float = 0.0
    """GPUs that a run has on the cluster, beside its one CPU."""
    retries: int = 5
    """How often a run is continued on the cluster after its node was lost."""
    scratch: str | None = None
    """A folder of the nodes' own disks to train in; by default that of --runs where nodes see it, else a temporary one.
    Files come back with every checkpoint."""
    dry_run: bool = False
    """Print the runs, a command for each, and the CPU hours they would take here; measures every recipe briefly."""
    array: Path | None = None
    """Like --dry-run, and write a Slurm array job of the runs to this file."""
    job: int | None = None
    """Run this one of the runs, in this process; `--dry-run` numbers them."""

    def choices(self) -> Choices:
        mine = {field.name: getattr(self, field.name) for field in fields(Choices) if field.name != "imports"}
        return Choices(**mine, imports=tuple(IMPORTED))


def main(arguments: list[str]) -> None:
    if not arguments:
        _list()
        return
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer bench")
    if chosen.processes is not None and chosen.processes < 1:
        raise PacerError(f"processes is {chosen.processes}: expected 1 or more")
    choices = chosen.choices()
    jobs = plan(choices)
    if chosen.track:
        tracker(chosen.track, jobs[0].folder, jobs[0].config)  # which says so where a package lacks
    if chosen.job is not None:
        _run_one(jobs, chosen.job)
    elif chosen.dry_run or chosen.array:
        _foretell(jobs, choices, chosen.array)
    else:
        _run_all(chosen, choices, jobs)


def _list() -> None:
    print("usage: pacer bench EXPERIMENT ...   (`pacer bench --help` tells the options)\n")
    for name in names():
        experiment = find(name)
        protocol = f"{len(experiment.cells)} cells x {experiment.seeds} seeds, {experiment.steps:,} steps"
        print(f"  {name:12} {experiment.about} ({protocol}, {experiment.size} size)")
    print("\nAn experiment of your own is a Python file that defines EXPERIMENT: pacer bench my_sweep.py")


def _run_one(jobs: list[Job], number: int) -> None:
    if not 0 <= number < len(jobs):
        raise PacerError(f"there is no job {number}: the plan has {len(jobs)}, from 0")
    wear_leash()
    job = jobs[number]
    with Display(job.config) as display:
        carry_out(job, [display])
    print(f"{job.title}: done, in {job.folder}")


def _foretell(jobs: list[Job], choices: Choices, array: Path | None) -> None:
    """The runs, a command each, and what they cost."""
    from pacer.experiments.array_job import write_array
    from pacer.experiments.estimate import estimate
    from pacer.experiments.local import cores

    seconds = estimate(jobs)
    for job, cost in zip(jobs, seconds, strict=True):
        print(f"{job.command}  # {job.number}: {'done' if job.done() else hours(cost)}")
    left = sum(cost for job, cost in zip(jobs, seconds, strict=True) if not job.done())
    done = f", {finished} of them done" if (finished := sum(job.done() for job in jobs)) else ""
    print(
        f"\n{len(jobs)} runs{done}: {hours(left)} of CPU time here, {hours(left / cores())} on {cores()} cores "
        "(update times measured per recipe on its first environment)"
    )
    if array:
        write_array(array, choices.words(), seconds)
        print(f"{array} is a Slurm array job of them: sbatch {array}")


def hours(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} hours" if seconds >= 3600 else f"{seconds / 60:.1f} minutes"


def _run_all(chosen: Arguments, choices: Choices, jobs: list[Job]) -> None:
    from pacer.experiments.local import cores, run_here

    print(f"{len(jobs)} runs, {sum(job.done() for job in jobs)} of them done before")
    if chosen.on == "ray":
        from pacer.experiments.ray_cluster import Cluster, run_on_ray

        cluster = Cluster(chosen.address, chosen.gpus, chosen.retries, chosen.scratch)
        failures = run_on_ray(jobs, choices, cluster)
    elif chosen.on == "vmap":
        from pacer.experiments.mapped import run_mapped

        failures = run_mapped(jobs)
    else:
        failures = run_here(jobs, choices.words(), chosen.processes or cores())
    check(failures, jobs)
    print(
        f"All runs are in {choices.runs}. Next:\n  pacer report {choices.runs}   # tables, curves and more, as one page"
    )
