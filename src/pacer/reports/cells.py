"""One cell of a grid of experiments: all seeds of a label on an environment, in numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pacer.reports import curves, reference
from pacer.reports.curves import Curve
from pacer.reports.statistics import Estimate, estimate, iqm

NOTHING = Curve(np.empty(0, np.int64), np.empty(0))


@dataclass(frozen=True)
class Scored:
    """A run as tables and figures see it."""

    environment: str
    label: str
    seed: int
    curves: Mapping[str, Curve]
    """By mode of evaluation."""


@dataclass(frozen=True)
class Reach:
    """How soon a score was reached: the median over seeds, infinite where half of them did not."""

    score: float
    whose: str
    steps: float
    seeds: int
    """How many reached it."""


@dataclass(frozen=True)
class Cell:
    """Numbers of the seeds that came as far as the furthest; the others are counted only."""

    environment: str
    label: str
    steps: int
    """Of the last evaluation."""
    seeds: int
    begun: int
    best_of_mean: float
    mean_of_best: float
    deviation: float
    """Of each seed's best, over seeds."""
    finals: tuple[float, ...]
    iqm: Estimate
    """Of the final scores."""
    area: float
    paper: reference.Score | None
    to_paper: Reach | None
    to_sac: Reach | None

    @property
    def final(self) -> float:
        return float(np.mean(self.finals)) if self.finals else np.nan


def cells(runs: Iterable[Scored], mode: str = "greedy") -> list[Cell]:
    """A cell for each environment and label, also where no run was evaluated yet."""
    found: dict[tuple[str, str], dict[int, Curve]] = {}
    for run in runs:
        seeds = found.setdefault((run.environment, run.label), {})
        # A seed that is there twice (two copies of a run) counts once, as far as it came.
        seeds[run.seed] = max(seeds.get(run.seed, NOTHING), run.curves.get(mode, NOTHING), key=lambda c: c.end)
    made = [_cell(environment, label, list(seeds.values())) for (environment, label), seeds in found.items()]
    return sorted(made, key=lambda cell: (cell.environment, order(cell.label)))


def in_sac_units(cells: Iterable[Cell]) -> dict[str, dict[str, list[float]]]:
    """Final scores by label and environment, in units of the score that the paper gives SAC, where it gives one."""
    scores: dict[str, dict[str, list[float]]] = {}
    for cell in cells:
        unit = reference.paper_score("sac", cell.environment)
        if unit and cell.seeds:
            scores.setdefault(cell.label, {})[cell.environment] = [final / unit.value for final in cell.finals]
    return scores


def order(label: str) -> tuple[int, str]:
    """Labels as the paper lists them, then all others by name."""
    names = list(reference.PAPER_NAMES)
    plain = reference.plain_label(label)
    return (names.index(plain) if plain in names else len(names)), label


def _cell(environment: str, label: str, begun: Sequence[Curve]) -> Cell:
    end = max(curve.end for curve in begun)
    complete = [curve for curve in begun if curve.end == end and curve.steps.size]
    finals = tuple(map(curves.final, complete))
    paper, sac = reference.paper_score(label, environment), reference.sac_level(environment, end)
    return Cell(
        environment=environment,
        label=label,
        steps=end,
        seeds=len(complete),
        begun=len(begun),
        best_of_mean=curves.best_of_mean(complete),
        mean_of_best=curves.mean_of_best(complete),
        deviation=float(np.std([curves.best(c) for c in complete], ddof=1)) if len(complete) > 1 else np.nan,
        finals=finals,
        iqm=estimate(iqm, [finals]),
        area=float(np.mean([curves.area(c) for c in complete])) if complete else np.nan,
        paper=paper,
        to_paper=_reach(complete, paper.value, "the paper") if paper and complete else None,
        to_sac=_reach(complete, sac.score, f"{sac.method} at {sac.steps}") if sac and complete else None,
    )


def _reach(complete: Sequence[Curve], score: float, whose: str) -> Reach:
    steps = [curves.steps_to(curve, score) for curve in complete]
    return Reach(score, whose, float(np.median(steps)), int(np.isfinite(steps).sum()))
