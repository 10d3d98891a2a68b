"""Mean returns of the runs below a folder, greedy / sampled, as rows of a table: one for each run, a column each step.

python results/rows.py results/runs/main/HalfCheetah-v4 [EVERY]      # every so many steps, 10,000 by default
"""

import sys
from pathlib import Path

import numpy as np

import pacer


def row(folder: Path, every: int) -> str:
    run = pacer.Run(folder)
    found = run.evaluations()
    cells = []
    for step in range(every, int(found["step"].max()) + 1, every):
        at = found["step"] == step
        means = [found["return"][at & (found["mode"] == mode)].mean() for mode in ("greedy", "sampled")]
        cells.append(" / ".join(f"{mean:.0f}" for mean in means) if np.isfinite(means).all() else "")
    name = f"{run.config.environment}, `{run.config.label}`, seed {run.config.seed}"
    return f"| {' | '.join([name, *cells])} |"


if __name__ == "__main__":
    root, every = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    for path in sorted(root.rglob("config.json")):
        print(row(path.parent, every))
