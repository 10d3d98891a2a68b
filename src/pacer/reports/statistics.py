"""Scores of several seeds on several tasks, and how sure we can be of them (Agarwal et al., 2021).

`Tasks` is one array of scores per task, its last axis the seeds; tasks may have different numbers of seeds. Leading
axes are carried along, which is how a bootstrap of thousands of resamples is one call.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Tasks = Sequence[Array]

RESAMPLES = 2_000
QUANTILES = (0.025, 0.975)  # a 95 % interval
COVERAGE = {2: 0.5, 3: 0.75, 5: 0.9}
"""By seeds of one task: how often the interval of normal scores' IQM holds the true value."""
NARROW = (
    "With few seeds intervals are too narrow: "
    + ", ".join(f"of {seeds} they hold the true value in {share:.0%} of all cases" for seeds, share in COVERAGE.items())
    + "."
)


@dataclass(frozen=True)
class Estimate:
    """A value, its interval and the scores it is made of. Without two seeds on every task there is no interval."""

    value: Any
    low: Any
    high: Any
    count: int
    """Scores, over all tasks."""


def iqm(tasks: Tasks) -> Any:
    """The mean of the middle half of all scores; a task with more seeds weighs more."""
    scores = np.sort(np.concatenate(tasks, axis=-1), axis=-1)
    cut = scores.shape[-1] // 4
    return scores[..., cut : scores.shape[-1] - cut].mean(axis=-1)


def mean(tasks: Tasks) -> Any:
    """The mean of the tasks' means."""
    return np.stack([task.mean(axis=-1) for task in tasks]).mean(axis=0)


def median(tasks: Tasks) -> Any:
    """The median of the tasks' means."""
    return np.median(np.stack([task.mean(axis=-1) for task in tasks]), axis=0)


def optimality_gap(tasks: Tasks, goal: float = 1.0) -> Any:
    """How far scores stay below the goal; what is above it does not make up for that."""
    return goal - np.minimum(np.concatenate(tasks, axis=-1), goal).mean(axis=-1)


def profile(tasks: Tasks, thresholds: ArrayLike) -> Any:
    """The share of scores above each threshold, in a new last axis."""
    scores = np.concatenate(tasks, axis=-1)
    return np.stack([(scores > threshold).mean(axis=-1) for threshold in np.asarray(thresholds)], axis=-1)


def improvement(ours: Tasks, theirs: Tasks) -> Any:
    """The probability that a run of ours beats one of theirs on the same task, ties counting half; mean over tasks."""
    wins = []
    for mine, other in zip(ours, theirs, strict=True):
        above, equal = mine[..., :, None] > other[..., None, :], mine[..., :, None] == other[..., None, :]
        wins.append((above + 0.5 * equal).mean(axis=(-2, -1)))
    return np.stack(wins).mean(axis=0)


def estimate(metric: Callable[..., Any], *groups: Sequence[ArrayLike], resamples: int = RESAMPLES) -> Estimate:
    """A metric of one or more groups of tasks with its stratified bootstrap interval: seeds are drawn within a task.

    NaN stands for a score that is missing. The same scores always give the same interval.
    """
    present = [_present(group) for group in groups]
    tasks = [task for group in present for task in group]
    if not tasks or not all(task.size for task in tasks):
        return Estimate(np.nan, np.nan, np.nan, sum(task.size for task in tasks))
    value = metric(*present)
    low = high = value * np.nan
    if all(task.size > 1 for task in tasks):
        rng = np.random.default_rng(0)
        drawn = [[_resampled(task, resamples, rng) for task in group] for group in present]
        low, high = np.quantile(metric(*drawn), QUANTILES, axis=0)
    return Estimate(value, low, high, sum(task.size for task in tasks))


def chance(ours: Sequence[ArrayLike], theirs: Sequence[ArrayLike]) -> Estimate:
    """`improvement`, from two seeds of both on every task on: one seed against another says nothing."""
    count = sum(task.size for task in map(_finite, (*ours, *theirs)))
    if any(_finite(task).size < 2 for task in (*ours, *theirs)):
        return Estimate(np.nan, np.nan, np.nan, count)
    return estimate(improvement, ours, theirs)


def quantiles(returns: ArrayLike, levels: Sequence[float]) -> Array:
    """Quantiles of the returns of episodes."""
    return np.asarray(np.quantile(_finite(returns), levels))


def cvar(returns: ArrayLike, level: float) -> float:
    """The mean of the worst share `level` of the returns; where that is no whole number, part of the next counts."""
    ordered = np.sort(_finite(returns))
    share = level * ordered.size
    weights = np.clip(share - np.arange(ordered.size), 0.0, 1.0)
    return float(ordered @ weights / share)


def _present(tasks: Sequence[ArrayLike]) -> list[Array]:
    return [_finite(task) for task in tasks]


def _finite(scores: ArrayLike) -> Array:
    array = np.asarray(scores, float).reshape(-1)
    return array[~np.isnan(array)]


def _resampled(task: Array, resamples: int, rng: np.random.Generator) -> Array:
    return task[rng.integers(task.size, size=(resamples, task.size))]
