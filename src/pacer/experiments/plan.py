"""An experiment and what the user chose of it become jobs: one per run, in a fixed order."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pacer.config import Config, default_folder, named, resolve
from pacer.envs.identity import identity_of
from pacer.errors import PacerError, near
from pacer.experiments.experiment import Cell, Experiment
from pacer.experiments.find import find, is_file
from pacer.experiments.typed import number, train_words
from pacer.imports import import_words, imported
from pacer.observers.tracking import Tool
from pacer.overrides import whole
from pacer.runs.files import load_json

RUNS = Path("runs")
INSIGHT = ("heatmaps.safetensors", "returns.safetensors")


@dataclass(frozen=True)
class Choices:
    """Which runs of an experiment, and where; whoever makes the same choices has the same plan."""

    experiment: str
    steps: float | None = None
    seeds: int | None = None
    size: str | None = None
    only_recipe: tuple[str, ...] = ()
    only_env: tuple[str, ...] = ()
    only_seed: tuple[int, ...] = ()
    runs: Path = RUNS
    insight: bool = False
    track: Tool | None = None
    imports: tuple[str, ...] = ()
    """Modules and files of the user's own, which every process and node of the experiment imports."""

    def words(self) -> list[str]:
        """The choices as words of a command line."""
        words = [self.experiment]
        for option in ("steps", "seeds", "size"):
            if (value := getattr(self, option)) is not None:
                words += [f"--{option}", number(value)]
        for option in ("only_recipe", "only_env", "only_seed"):
            if values := getattr(self, option):
                words += [f"--{option.replace('_', '-')}", *map(str, values)]
        words += ["--runs", str(self.runs)] if self.runs != RUNS else []
        words += ["--track", self.track] if self.track else []
        words += ["--insight"] if self.insight else []
        return words + import_words(self.imports)


@dataclass(frozen=True)
class Job:
    """One run of a plan."""

    number: int
    config: Config
    folder: Path
    insight: bool
    command: str
    """What a user would type for this run alone."""
    track: Tool | None = None
    words: tuple[str, ...] = ()
    """The words after `pacer` with which a process carries the job out; nothing where it is one of a plan."""

    @property
    def title(self) -> str:
        return f"{self.config.environment} {self.config.label} seed {self.config.seed}"

    def done(self) -> bool:
        """Whether nothing is left to do; a damaged folder is not done, and its run says why."""
        try:
            trained = load_json(self.folder / "DONE").get("steps", 0) >= self.config.steps
        except (PacerError, TypeError):
            return False
        return trained and not self.lacks_insight()

    def lacks_insight(self) -> bool:
        """Whether the agents are still to be sampled."""
        return self.insight and not all((self.folder / "insight" / file).exists() for file in INSIGHT)


def check(failures: Mapping[str, str], jobs: Sequence[Job]) -> None:
    """Tell which of the jobs failed, and why."""
    if failures:
        told = "\n".join(f"  {title}: {error}" for title, error in failures.items())
        raise PacerError(f"{len(failures)} of {len(jobs)} runs failed:\n{told}\nThe same command tries them again")


def plan(choices: Choices) -> list[Job]:
    """The jobs, seed by seed, so that an experiment which is stopped half-way has whole rows."""
    for source in choices.imports:
        imported(source)
    experiment = find(choices.experiment)
    count = whole(experiment.seeds if choices.seeds is None else choices.seeds, "seeds", 1)
    seeds = _selected(range(count), choices.only_seed, "seed")
    cells = [(cell, _config(cell, experiment, choices)) for cell in experiment.cells]
    recipes = _selected(
        {name for cell, config in cells for name in _names(cell, config)}, choices.only_recipe, "recipe"
    )
    envs = _selected({config.environment for _, config in cells}, choices.only_env, "environment")
    chosen = [
        (cell, replace(config, seed=seed))
        for seed in seeds
        for cell, config in cells
        if config.environment in envs and set(_names(cell, config)) & set(recipes)
    ]
    if not chosen:
        raise PacerError("no run of the experiment is of a chosen recipe on a chosen environment")
    insight = experiment.insight or choices.insight
    jobs = [_job(k, cell, config, choices, insight) for k, (cell, config) in enumerate(chosen)]
    _check_distinct(jobs)
    return jobs


def _config(cell: Cell, experiment: Experiment, choices: Choices) -> Config:
    return resolve(
        cell.env,
        cell.recipe,
        steps=experiment.steps if choices.steps is None else choices.steps,
        size=choices.size or experiment.size,
        risk=cell.risk,
        utility=cell.utility,
        env_kwargs=cell.env_kwargs,
        overrides=cell.overrides,
        name=cell.name,
        source=identity_of(cell.env),
    )


def _names(cell: Cell, config: Config) -> list[str]:
    """What a user may call the recipe of a cell."""
    origin, _ = named(cell.recipe)
    return [config.label, *([cell.name] if cell.name else []), origin]


def _selected(known: Iterable[Any], asked: tuple[Any, ...], what: str) -> list[Any]:
    """Those that were asked for, or all."""
    known = list(known)
    for item in asked:
        if item not in known:
            listed = ", ".join(map(str, sorted(known)))
            raise PacerError(f"no {what} {item} in this experiment.{near(str(item), map(str, known))} It has {listed}")
    return [item for item in known if item in asked or not asked]


def _job(k: int, cell: Cell, config: Config, choices: Choices, insight: bool) -> Job:
    folder = choices.runs / default_folder(config).relative_to(RUNS)
    words = (
        None
        if insight or is_file(choices.experiment)
        else train_words(cell, config, choices.size or find(choices.experiment).size)
    )
    if words is None:
        words = ["bench", *choices.words(), "--job", str(k)]
    else:
        words += ["--run-dir", str(folder)] if choices.runs != RUNS else []
        words += ["--track", choices.track] if choices.track else []
        words += import_words(choices.imports)
    return Job(k, config, folder, insight, shlex.join(["pacer", *words]), choices.track)


def _check_distinct(jobs: list[Job]) -> None:
    first: dict[Path, Job] = {}
    for job in jobs:
        if first.setdefault(job.folder, job) is not job:
            raise PacerError(f"two cells of the experiment are the same run, {job.folder}: drop one, or give it a name")
