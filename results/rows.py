"""Mean returns of the runs below a folder, greedy / sampled, as rows of a table: one for each run, a column each step.

python results/rows.py results/runs/main/HalfCheetah-v4 [EVERY]      # every so many steps, 10,000 by default
"""

import sys
from pathlib import Path

import numpy as np

import pacer


def levels(run: pacer.Run) -> dict[int, tuple[float, float]]:
    """Mean return of greedy and of sampled play, by step."""
    found = run.evaluations()
    step, mode, returns = found["step"], found["mode"], found["return"]
    return {
        int(at): (returns[(step == at) & (mode == "greedy")].mean(), returns[(step == at) & (mode == "sampled")].mean())
        for at in np.unique(step)
    }


def row(folder: Path, every: int) -> str:
    run = pacer.Run(folder)
    found = levels(run)
    steps = range(every, max(found) + 1, every)
    cells = [" / ".join(f"{mean:.0f}" for mean in found[step]) if step in found else "" for step in steps]
    name = f"{run.config.environment}, `{run.config.label}`, seed {run.config.seed}"
    return f"| {' | '.join([name, *cells])} |"


if __name__ == "__main__":
    root, every = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    for path in sorted(root.rglob("config.json")):
        print(row(path.parent, every))
