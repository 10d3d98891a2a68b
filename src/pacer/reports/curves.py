"""Returns over steps: one curve per seed, and what several of them say together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacer.reports.statistics import QUANTILES, RESAMPLES, Array

LAST = 10  # evaluations that make a final score


@dataclass(frozen=True)
class Curve:
    """One seed's mean return at each evaluation."""

    steps: NDArray[np.int64]
    values: Array

    @property
    def end(self) -> int:
        """The step of the last evaluation."""
        return int(self.steps[-1]) if self.steps.size else 0


@dataclass(frozen=True)
class Band:
    """The mean of several curves, its interval and how many seeds each point has; no interval where there is one."""

    steps: NDArray[np.int64]
    mean: Array
    low: Array
    high: Array
    seeds: NDArray[np.int64]


def curve(evaluations: Mapping[str, Any], mode: str = "greedy", column: str = "return") -> Curve:
    """The mean over episodes at each evaluation, of the columns of evaluations.csv."""
    chosen = np.asarray(evaluations["mode"]) == mode
    steps, index = np.unique(np.asarray(evaluations["step"], np.int64)[chosen], return_inverse=True)
    values = np.asarray(evaluations[column], float)[chosen]
    return Curve(steps, np.bincount(index, values, steps.size) / np.bincount(index, minlength=steps.size))


def final(curve: Curve) -> float:
    """The mean of the last ten evaluations, or of all if there are fewer."""
    return float(curve.values[-LAST:].mean()) if curve.values.size else np.nan


def best(curve: Curve) -> float:
    """The highest evaluation."""
    return float(curve.values.max()) if curve.values.size else np.nan


def area(curve: Curve) -> float:
    """The area under the curve divided by its width: the mean return from the first evaluation to the last."""
    if curve.values.size < 2:
        return best(curve)
    return float(np.trapezoid(curve.values, curve.steps) / (curve.steps[-1] - curve.steps[0]))


def steps_to(curve: Curve, score: float) -> float:
    """The step of the first evaluation that reaches the score; infinite if none does."""
    reached = np.flatnonzero(curve.values >= score)
    return float(curve.steps[reached[0]]) if reached.size else np.inf


def smooth(values: ArrayLike, window: int) -> Array:
    """A centred moving mean along the last axis, for drawing; narrower at the ends, and NaN stays NaN."""
    given = np.asarray(values, float)
    half, length = window // 2, given.shape[-1]
    known = ~np.isnan(given)
    sums, counts = (_running(row) for row in (np.where(known, given, 0.0), known.astype(float)))
    low, high = np.maximum(np.arange(length) - half, 0), np.minimum(np.arange(length) + half + 1, length)
    total, number = sums[..., high] - sums[..., low], counts[..., high] - counts[..., low]
    return np.where(known, total / np.maximum(number, 1.0), np.nan)


def together(curves: Sequence[Curve]) -> tuple[NDArray[np.int64], Array]:
    """All steps at which some seed was evaluated, and a row of values per seed; NaN where it has none."""
    steps = np.unique(np.concatenate([np.empty(0, np.int64), *(c.steps for c in curves)]))
    values = np.full((len(curves), steps.size), np.nan)
    for row, c in zip(values, curves, strict=True):
        row[np.searchsorted(steps, c.steps)] = c.values
    return steps, values


def band(curves: Sequence[Curve], window: int = 1) -> Band:
    """The mean curve with its 95 % bootstrap interval; each point is of the seeds that have it."""
    steps, values = together([Curve(c.steps, smooth(c.values, window)) for c in curves])
    known = ~np.isnan(values)
    middle, low, high = (np.full(steps.size, np.nan) for _ in range(3))
    # Steps that the same seeds have are drawn at once.
    patterns, index = np.unique(known, axis=1, return_inverse=True)
    for number, pattern in enumerate(patterns.T):
        columns = np.flatnonzero(index.reshape(-1) == number)
        if pattern.any():
            middle[columns] = values[np.ix_(pattern, columns)].mean(axis=0)
            low[columns], high[columns] = _interval(values[np.ix_(pattern, columns)])
    return Band(steps, middle, low, high, known.sum(axis=0))


def best_of_mean(curves: Sequence[Curve]) -> float:
    """The highest point of the mean curve, which is how TD3's authors read "max average return".

    Only points that the most seeds have are looked at: a lucky seed alone would be higher than any mean.
    """
    _, values = together(curves)
    seeds = (~np.isnan(values)).sum(axis=0)
    if not seeds.size or not seeds.max():
        return np.nan
    return float(np.nansum(values[:, seeds == seeds.max()], axis=0).max() / seeds.max())


def mean_of_best(curves: Sequence[Curve]) -> float:
    """The mean over seeds of each seed's highest evaluation, the other reading."""
    highest = [score for score in map(best, curves) if not np.isnan(score)]
    return float(np.mean(highest)) if highest else np.nan


def _running(row: Array) -> Array:
    """Sums of the first 0, 1, 2, ... values."""
    return np.concatenate([np.zeros((*row.shape[:-1], 1)), np.cumsum(row, axis=-1)], axis=-1)


def _interval(values: Array) -> tuple[Array, Array]:
    """The bootstrap interval of each column's mean; rows are seeds, and a draw of them serves all columns."""
    seeds = len(values)
    if seeds < 2:
        nothing = np.full(values.shape[1], np.nan)
        return nothing, nothing
    drawn = np.random.default_rng(0).multinomial(seeds, np.full(seeds, 1 / seeds), size=RESAMPLES)
    low, high = np.quantile(drawn @ values / seeds, QUANTILES, axis=0)
    return low, high
