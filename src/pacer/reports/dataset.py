"""All runs below some folders, read once; what cannot be read is told, and the rest is shown."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacer.errors import PacerError
from pacer.reports.cells import Scored
from pacer.reports.curves import LAST, curve
from pacer.runs.arrays import Arrays, load_arrays
from pacer.runs.codec import decode
from pacer.runs.files import load_json
from pacer.runs.reader import EVALUATIONS, PROGRESS, TIMINGS, Run
from pacer.runs.tables import Columns, no_rows

OWN = ("config.json", "run.json", "evaluations.csv", "progress.csv", "timings.csv")  # any of them tells a run folder
IDENTITY = {"environment": str, "label": str, "seed": int, "steps": int}
SHAPES = {
    "heatmaps": {"phases": "P", "dimensions": "2", "counts": "PSBB", "spread": "PS"},
    "returns": {"value": "SK", "mass": "SK", "monte_carlo": "SN"},
}
FINITE = ("counts", "value", "mass")
UNREADABLE = (PacerError, OSError, ValueError, OverflowError)
MODES = ("greedy", "sampled")
Problem = tuple[Path, str]


@dataclass(frozen=True)
class RunData:
    """One run as plain values."""

    path: Path
    environment: str
    label: str
    seed: int
    steps: int
    """Asked for; `reached` is how far it came."""
    status: str
    settings: dict[str, Any]
    facts: dict[str, Any]
    evaluations: Columns
    progress: Columns
    timings: Columns
    insight: dict[str, Arrays] | None
    """The arrays of the insight files that are there, by the files' names: `heatmaps`, `returns`."""

    @property
    def scored(self) -> Scored:
        """The run as tables and figures see it."""
        modes = [mode for mode in MODES if mode in self.evaluations["mode"]]
        curves = {mode: curve(self.evaluations, mode) for mode in modes}
        return Scored(self.environment, self.label, self.seed, curves)

    def late(self, mode: str, column: str = "return") -> NDArray[Any]:
        """A figure of each episode of the last evaluations, those that make a final score."""
        chosen = self.evaluations["mode"] == mode
        steps = np.unique(self.evaluations["step"][chosen])[-LAST:]
        return self.evaluations[column][chosen & np.isin(self.evaluations["step"], steps)]

    @property
    def evaluated(self) -> int:
        """The step of the last evaluation."""
        return int(self.evaluations["step"].max()) if self.evaluations["step"].size else 0

    @property
    def reached(self) -> int:
        """The last step that a log tells of."""
        return max((int(log["step"].max()) for log in (self.evaluations, self.progress) if log["step"].size), default=0)


@dataclass(frozen=True)
class Dataset:
    runs: list[RunData] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def distinct(self) -> list[RunData]:
        """The runs without copies: a seed that is there twice counts once, as far as it came."""
        found: dict[tuple[str, str, int], RunData] = {}
        for run in self.runs:
            key = run.environment, run.label, run.seed
            found[key] = max(found.get(key, run), run, key=lambda r: r.reached)
        return list(found.values())

    @property
    def complete(self) -> list[RunData]:
        """Of those, the seeds that came as far as the furthest of their task and algorithm: what scores are made of."""
        furthest: dict[tuple[str, str], int] = {}
        for run in self.distinct:
            key = run.environment, run.label
            furthest[key] = max(furthest.get(key, 0), run.evaluated)
        return [run for run in self.distinct if run.evaluated == furthest[run.environment, run.label]]


def load(roots: Sequence[str | Path]) -> Dataset:
    """Every run in and below the roots, in the order of environment, label and seed."""
    found: dict[Path, RunData] = {}
    problems: dict[Path, list[str]] = {}
    for root in map(Path, roots):
        if not root.exists():
            raise PacerError(f"{root} does not exist: name a run folder, or a folder that holds runs")
        for folder, why in _folders(root):
            key = folder.resolve()
            if key in found or key in problems:
                continue
            faults = [why] if why else []
            run = None if why else _read(folder, faults)
            if run:
                found[key] = run
            if faults:
                problems[key] = faults
    runs = sorted(found.values(), key=lambda run: (run.environment, run.label, run.seed, str(run.path)))
    return Dataset(runs, [(path, why) for path, faults in sorted(problems.items()) for why in faults])


def _folders(root: Path) -> Iterator[tuple[Path, str]]:
    """Folders that are runs or seem to be meant as such, and why one is none ('' if it is one)."""
    for name, below, files in os.walk(root):
        folder = Path(name)
        below[:] = sorted(b for b in below if not b.startswith("."))
        own = {*OWN} & {*files}
        if own:
            below.clear()  # no run lies inside another
            yield folder, "" if "config.json" in own else "no config.json: the run was not begun, or not copied whole"
        elif not below:
            yield folder, "no run: it holds other files" if files else "no run: the folder is empty"


def _read(folder: Path, faults: list[str]) -> RunData | None:
    """The run of a folder, or nothing if its configuration cannot be read."""
    try:
        run = Run(folder)
        settings = run.settings
        named = {key: decode(settings.get(key), kind, key) for key, kind in IDENTITY.items()}
    except UNREADABLE as error:
        faults.append(_reason(folder, error))
        return None

    def attempt(read: Callable[[], Any], otherwise: Any) -> Any:
        try:
            return read()
        except UNREADABLE as error:
            faults.append(_reason(folder, error))
            return otherwise

    return RunData(
        path=folder,
        **named,
        status=attempt(lambda: run.status, "unknown"),
        settings=settings,
        facts=attempt(lambda: load_json(folder / "run.json"), {}),
        evaluations=attempt(run.evaluations, no_rows(EVALUATIONS)),
        progress=attempt(run.progress, no_rows(PROGRESS)),
        timings=attempt(run.timings, no_rows(TIMINGS)),
        insight={
            file.stem: arrays
            for file in sorted((folder / "insight").glob("*.safetensors"))
            if (arrays := attempt(partial(_insight, file), None))
        }
        or None,
    )


def _insight(path: Path) -> Arrays:
    """The arrays of a file, held against the shapes it should have: equal letters stand for equal sizes."""
    arrays, sizes = load_arrays(path), {"2": 2}
    for name, letters in SHAPES.get(path.stem, {}).items():
        shape = arrays[name].shape if name in arrays else ()
        fits = len(shape) == len(letters) and all(shape)
        if not fits or any(sizes.setdefault(k, n) != n for k, n in zip(letters, shape, strict=True)):
            raise PacerError(
                f"{path}: {name} has shape {' x '.join(map(str, shape)) or None}, expected {' x '.join(letters)}"
            )
        if name in FINITE and not np.isfinite(arrays[name]).all():
            raise PacerError(f"{path}: {name} holds numbers that are not finite")
    return arrays


def _reason(folder: Path, error: Exception) -> str:
    """The error without the folder, which is told beside it."""
    return str(error).replace(f"{folder}{os.sep}", "")
