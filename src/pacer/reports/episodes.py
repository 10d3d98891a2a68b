"""The table of single episodes: how returns are spread, how bad the worst are, and what happened in them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pacer.reports.cells import order
from pacer.reports.statistics import Array, cvar, quantiles
from pacer.reports.text import NONE, Table, number, plus_minus, slug

Seeds = Sequence[Mapping[str, Array]]
"""Of each seed the columns of evaluations.csv, of its last evaluations: `return`, `length`, `penalties`, ..."""
TAILS = (0.1, 0.25)


def episode_table(environment: str, labels: Mapping[str, Seeds]) -> Table:
    """Returns of episodes, their tails, and the mean of every other column."""
    data = [
        _row(environment, label, labels[label])
        for label in sorted(labels, key=order)
        if _count(labels[label], "return")
    ]
    others = [name for name in dict.fromkeys(key for row in data for key in row) if name.startswith("mean_")]
    columns = ["algorithm", "seeds", "episodes", "return", "lowest tenth below", "median"]
    columns += [f"CVaR {level:g}" for level in TAILS] + [name.removeprefix("mean_") for name in others]
    shown = ("lowest_tenth", "median", *(f"cvar_{level:g}" for level in TAILS))
    rows = [
        [
            row["label"],
            str(row["seeds"]),
            str(row["episodes"]),
            plus_minus(row["mean"], row["deviation"]),
            *(number(row[name]) for name in shown),
            *(number(row[name]) if name in row else NONE for name in others),
        ]
        for row in data
    ]
    note = (
        "Episodes of each seed's last 10 evaluations, all together. Return: mean ± deviation over episodes. CVaR: the "
        "mean of that share of the episodes, the worst. The other columns are means."
    )
    return Table(f"episodes-{slug(environment)}", f"Episodes on {environment}", note, columns, rows, data)


def _row(environment: str, label: str, seeds: Seeds) -> dict[str, Any]:
    returns = _pooled(seeds, "return")
    lowest, median = quantiles(returns, [0.1, 0.5])
    row: dict[str, Any] = {"environment": environment, "label": label, "episodes": returns.size}
    row |= {"seeds": sum(seed["return"].size > 0 for seed in seeds)}
    row |= {"mean": returns.mean(), "deviation": returns.std(), "lowest_tenth": lowest, "median": median}
    row |= {f"cvar_{level:g}": cvar(returns, level) for level in TAILS}
    names = dict.fromkeys(name for seed in seeds for name in seed if name != "return")
    return row | {f"mean_{name}": _pooled(seeds, name).mean() for name in names if _count(seeds, name)}


def _pooled(seeds: Seeds, name: str) -> Array:
    return np.concatenate([np.empty(0), *(seed[name] for seed in seeds if name in seed)])


def _count(seeds: Seeds, name: str) -> int:
    return _pooled(seeds, name).size
