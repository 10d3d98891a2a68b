"""Where the recipes of experiments stand on the tasks that these have in common, from the runs that are kept.

python results/levels.py main                 # the table of the README
python results/levels.py main baselines       # that of docs/results.md
"""

import sys
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


def level(recipe: str, env: str, step: int) -> str:
    """What was published after as many steps."""
    return "".join(f"{at.score:.0f}" for at in published(env) if (at.method, at.steps) == (METHODS.get(recipe), step))


def table(*names: str) -> str:
    kept = defaultdict(list)
    for name in names:
        for run in pacer.Run.find(HERE / "runs" / name):
            kept[run.config.environment, run.config.label].append(run)
    experiments = [find(str(HERE / f"{name}.py")) for name in names]
    steps = [step for step in STEPS if step <= min(experiment.steps for experiment in experiments)]
    lines = [
        f"| | {' | '.join(f'{step:,} steps' for step in steps)} | published at {steps[-1]:,} |",
        "|---|" + "---|" * (len(steps) + 1),
    ]
    for env in dict.fromkeys(this.env for this in experiments[-1].cells):
        for recipe in (this.recipe for experiment in experiments for this in experiment.cells if this.env == env):
            if runs := sorted(kept[env, recipe], key=lambda run: run.config.seed):
                numbers = " | ".join(cell(runs, step) for step in steps)
                lines.append(f"| {env}, `{recipe}` | {numbers} | {level(recipe, env, steps[-1])} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(*sys.argv[1:] or ["main"]))
