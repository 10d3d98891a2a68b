"""What the page's charts show, as plain JSON values: one entry per run, small enough for any number of runs."""

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacer.reports.curves import best, curve, final
from pacer.reports.dataset import MODES, Dataset, RunData
from pacer.reports.reference import paper_score
from pacer.reports.style import styles
from pacer.runs.arrays import Arrays
from pacer.runs.tables import Columns

POINTS = 250  # of a line: more could not be seen
EPISODES = 500  # of a distribution, per run
ATOMS = 200  # of a learned or a played distribution
BINS = 50  # of a heat map, each way
KEYS = ("step", "mode", "episode")  # of evaluations.csv; its other columns are figures
NOT_SCORED: dict[str, Any] = {"last": {}, "scores": {}, "episodes": None}  # a seed that is behind the others


def content(dataset: Dataset) -> dict[str, Any]:
    """Tasks, algorithms with their looks and the paper's scores, and the runs."""
    runs, complete = dataset.distinct, {run.path for run in dataset.complete}
    looks = styles(run.label for run in runs)
    tasks, labels = sorted({run.environment for run in runs}), list(looks)
    return {
        "tasks": tasks,
        "algorithms": [{"name": name, "colour": colour, "dash": dash} for name, (colour, dash) in looks.items()],
        "paper": [[_score(label, task) for label in labels] for task in tasks],
        "runs": [
            {
                "task": tasks.index(run.environment),
                "algorithm": labels.index(run.label),
                "seed": run.seed,
                "modes": {
                    mode: evaluated(run, mode) | (scored(run, mode) if run.path in complete else NOT_SCORED)
                    for mode in MODES
                    if mode in run.evaluations["mode"]
                },
                "learning": learning(run.progress),
                "timing": timing(run.timings),
                "insight": insight(run.insight or {}),
            }
            for run in runs
        ],
    }


def evaluated(run: RunData, mode: str) -> dict[str, Any]:
    """Each figure's mean per evaluation."""
    curves = {name: curve(run.evaluations, mode, name) for name in run.evaluations if name not in KEYS}
    figures = {name: numbers(curve.values) for name, curve in curves.items()}
    return {"step": curves["return"].steps.tolist(), "figures": figures}


def scored(run: RunData, mode: str) -> dict[str, Any]:
    """The scores, and means and episodes of the last evaluations."""
    returns = curve(run.evaluations, mode)
    return {
        "last": {name: numbers([run.late(mode, name).mean()])[0] for name in run.evaluations if name not in KEYS},
        "scores": dict(zip(("final", "best"), numbers([final(returns), best(returns)]), strict=True)),
        "episodes": numbers(_quantiles(run.late(mode), EPISODES)),
    }


def learning(progress: Columns) -> dict[str, Any]:
    """What learning reported, thinned to as many points as can be seen; a column of zeros is no figure."""
    names = [name for name in progress if name not in ("step", "episodes") and progress[name].any()]
    if not progress["step"].size:
        return {}
    return {"step": numbers(thinned(progress["step"]), 9), **{name: numbers(thinned(progress[name])) for name in names}}


def timing(timings: Columns) -> dict[str, float | None]:
    """Seconds of each activity, and the steps they were spent on."""
    if not timings["step"].size:
        return {}
    figures = {name: column.max() if name == "step" else column.sum() for name, column in timings.items()}
    return dict(zip(figures, numbers(list(figures.values()), 9), strict=True))


def insight(files: Mapping[str, Arrays]) -> dict[str, Any]:
    """Heat maps of actions, and the returns that the critic expects beside those that were played."""
    return {name: show(files[name]) for name, show in INSIGHT.items() if name in files}


def _heatmaps(arrays: Arrays) -> dict[str, Any]:
    counts, flat = _pooled(arrays["counts"]), len(set(arrays["dimensions"].tolist())) == 1
    if flat:  # one dimension of actions: a histogram says it all
        bars = arrays["counts"].sum(axis=-1) / np.maximum(arrays["counts"].sum(axis=(-1, -2)), 1)[..., None]
        return {**_phases(arrays), "bars": [[numbers(row) for row in phase] for phase in bars]}
    # Logarithms in 256 shades: a policy of one sharp peak would else be a white page with a dot.
    top = np.log1p(np.maximum(counts.max(axis=(-1, -2), keepdims=True), 1))
    shades = np.round(255 * np.log1p(counts) / top).astype(np.uint8)
    maps = [[base64.b64encode(state.tobytes()).decode() for state in phase] for phase in shades]
    return {**_phases(arrays), "bins": counts.shape[-1], "maps": maps}


def _phases(arrays: Arrays) -> dict[str, Any]:
    spread = [numbers(row) for row in arrays["spread"]]
    return {"phases": arrays["phases"].tolist(), "dimensions": arrays["dimensions"].tolist(), "spread": spread}


def _returns(arrays: Arrays) -> dict[str, Any]:
    """Per state two distributions as values and the probability of at most that."""
    states = []
    for value, mass, played in zip(arrays["value"], arrays["mass"], arrays["monte_carlo"], strict=True):
        order = np.argsort(value)
        kept = np.linspace(0, value.size - 1, min(value.size, ATOMS)).round().astype(int)
        share = np.cumsum(mass[order]) / mass.sum()
        played = np.sort(played[np.isfinite(played)])
        states.append(
            {
                "learned": [numbers(value[order][kept]), numbers(share[kept])],
                "played": numbers(_quantiles(played, ATOMS)),
                "means": numbers([value @ mass / mass.sum(), played.mean() if played.size else np.nan]),
                "episodes": int(played.size),
            }
        )
    return {"states": states}


INSIGHT = {"heatmaps": _heatmaps, "returns": _returns}


def _pooled(counts: NDArray[Any]) -> NDArray[Any]:
    """Neighbouring bins together until there are no more than can be seen."""
    bins = counts.shape[-1]
    factor = next(f for f in range(max(bins // BINS, 1), bins + 1) if bins % f == 0)
    shape = (*counts.shape[:2], bins // factor, factor, bins // factor, factor)
    return np.asarray(counts.reshape(shape).sum(axis=(3, 5)))


def thinned(column: NDArray[Any]) -> NDArray[np.float64]:
    """Means of equal parts of a column; NaN counts for nothing."""
    parts = np.array_split(column.astype(float), min(POINTS, column.size))
    return np.array([p[np.isfinite(p)].mean() if np.isfinite(p).any() else np.nan for p in parts])


def numbers(values: ArrayLike, digits: int = 5) -> list[float | None]:
    """Numbers as the page needs them: not more digits than can be seen, nothing in place of NaN."""
    return [float(f"{v:.{digits}g}") if np.isfinite(v) else None for v in np.asarray(values, float).tolist()]


def _quantiles(values: NDArray[Any], most: int) -> NDArray[Any]:
    """The values in order, or as many of their quantiles."""
    ordered = np.sort(values[np.isfinite(values)])
    return ordered if ordered.size <= most else np.quantile(ordered, (np.arange(most) + 0.5) / most)


def _score(label: str, task: str) -> float | None:
    score = paper_score(label, task)
    return score.value if score else None
