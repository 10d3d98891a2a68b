"""The kept runs of results/runs, by their set (the folder there), task and label, and means of what they earned."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
from rows import levels, shown
from table import filled

import pacer

RUNS = Path(__file__).parent / "runs"
LAST = 5
"""One evaluation is a matter of luck where policies fall: several in a row tell more."""
DUAL = "pacer-weight_Dual_1_0_1"  # without a floor
Found = dict[int, tuple[float, float]]
"""Mean returns of greedy and of sampled play, by step."""


def runs(name: str, env: str, label: str) -> list[pacer.Run]:
    """The kept runs of a label, by seed."""
    folders = sorted(
        (RUNS / name / env / label).glob("seed*"), key=lambda folder: int(folder.name.removeprefix("seed"))
    )
    return [pacer.Run(folder) for folder in folders]


@cache
def kept(name: str, env: str, label: str) -> list[Found]:
    return [levels(run) for run in runs(name, env, label)]


@cache
def variants(series: str, env: str, variant: str) -> list[Found]:
    """Runs of which numbers are kept alone, by seed."""
    found: dict[str, Found] = {}
    for this in filled("variants"):
        if (this["series"], this["environment"], this["variant"]) == (series, env, variant):
            found.setdefault(this["seed"], {})[int(this["step"])] = (float(this["greedy"]), float(this["sampled"]))
    return [found[seed] for seed in sorted(found)]


def over(found: Found, steps: Iterable[int]) -> tuple[float, float]:
    """Mean of several evaluations."""
    greedy, sampled = np.mean([found[step] for step in steps], axis=0)
    return greedy, sampled


def at_the_end(found: Found, step: int) -> tuple[float, float]:
    """Mean of the last evaluations up to this step."""
    return over(found, sorted(at for at in found if at <= step)[-LAST:])


def of_seeds(seeds: list[tuple[float, float]]) -> str:
    """Means over seeds, and in brackets the greedy one of each seed."""
    if not seeds:
        return ""
    return f"{shown(np.mean(seeds, axis=0))} ({', '.join(f'{greedy:.0f}' for greedy, _ in seeds)})"
