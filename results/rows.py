"""Mean returns of the runs below a folder, greedy / sampled, as rows of a table: one for each run, a column each step.

python results/rows.py results/runs/main/HalfCheetah-v4 [EVERY]      # every so many steps, 10,000 by default
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from table import lines

import pacer


def levels(run: pacer.Run) -> dict[int, tuple[float, float]]:
    """Mean return of greedy and of sampled play, by step."""
    found = run.evaluations()
    step, mode, returns = found["step"], found["mode"], found["return"]
    return {
        int(at): (returns[(step == at) & (mode == "greedy")].mean(), returns[(step == at) & (mode == "sampled")].mean())
        for at in np.unique(step)
    }


def shown(means: Iterable[float], digits: int = 0) -> str:
    """greedy / sampled"""
    return " / ".join(f"{mean:.{digits}f}" for mean in means)


def row(run: pacer.Run, every: int, end: int | None = None, words: str | None = None) -> tuple[str, ...]:
    """The run by its label, or in other words, and its returns up to a step, or to its last."""
    found, config = levels(run), run.config
    steps = range(every, (end or max(found)) + 1, every)
    name = f"{config.environment}, {words or f'`{config.label}`'}, seed {config.seed}"
    return (name, *(shown(found[step]) if step in found else "" for step in steps))


if __name__ == "__main__":
    root, every = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    print(lines(row(pacer.Run(path.parent), every) for path in sorted(root.rglob("config.json"))))
