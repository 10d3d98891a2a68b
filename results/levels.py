"""The README's table: where each recipe stands on each task of `main.py`, from the runs that are kept.

python results/levels.py
"""

from collections import defaultdict
from pathlib import Path

import numpy as np
from rows import levels

import pacer
from pacer.experiments.find import find
from pacer.reports.reference import published

HERE = Path(__file__).parent
STEPS = (20_000, 50_000, 100_000)
METHODS = {"sac": "SAC u1", "td3": "TD3 u1"}


def cell(runs: list[pacer.Run], step: int) -> str:
    """Means over seeds, greedy / sampled, and in brackets the greedy one of each seed."""
    seeds = [found[step] for found in map(levels, runs) if step in found]
    if not seeds:
        return ""
    overall = " / ".join(f"{mean:.0f}" for mean in np.mean(seeds, axis=0))
    return f"{overall} ({', '.join(f'{greedy:.0f}' for greedy, _ in seeds)})"


def level(recipe: str, env: str) -> str:
    """What was published after as many steps as the last column has."""
    return "".join(
        f"{at.score:.0f}" for at in published(env) if (at.method, at.steps) == (METHODS.get(recipe), STEPS[-1])
    )


def table() -> str:
    kept = defaultdict(list)
    for run in pacer.Run.find(HERE / "runs" / "main"):
        kept[run.config.environment, run.config.label].append(run)
    lines = [
        f"| | {' | '.join(f'{step:,} steps' for step in STEPS)} | published at {STEPS[-1]:,} |",
        "|---|" + "---|" * (len(STEPS) + 1),
    ]
    for this in find(str(HERE / "main.py")).cells:
        if runs := sorted(kept[this.env, this.recipe], key=lambda run: run.config.seed):
            numbers = " | ".join(cell(runs, step) for step in STEPS)
            lines.append(f"| {this.env}, `{this.recipe}` | {numbers} | {level(this.recipe, this.env)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
