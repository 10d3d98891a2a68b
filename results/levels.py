"""Where the recipes of experiments stand on the tasks that these have in common, from the runs that are kept.

python results/levels.py        # puts the tables where they are shown
"""

import re
from collections import defaultdict
from pathlib import Path

import numpy as np
from rows import levels

import pacer
from pacer.experiments.find import find
from pacer.reports.reference import published

ROOT = Path(__file__).parents[1]
PAGES = {"README.md": ("main",), "docs/results.md": ("main", "baselines")}
SHOWN = re.compile(r"^\| \|.*published at.*(\n\|.*)+", re.MULTILINE)
STEPS = (20_000, 50_000, 100_000)
LAST = 5
"""One evaluation is a matter of luck where policies fall: several in a row tell more."""
METHODS = {"sac": "SAC u1", "td3": "TD3 u1"}


def over(seeds: list[tuple[float, float]]) -> str:
    """Means over seeds, greedy / sampled, and in brackets the greedy one of each seed."""
    if not seeds:
        return ""
    overall = " / ".join(f"{mean:.0f}" for mean in np.mean(seeds, axis=0))
    return f"{overall} ({', '.join(f'{greedy:.0f}' for greedy, _ in seeds)})"


def at_the_end(found: dict[int, tuple[float, float]], step: int) -> tuple[float, float]:
    """Mean of the last evaluations up to this step."""
    last = sorted(at for at in found if at <= step)[-LAST:]
    greedy, sampled = np.mean([found[at] for at in last], axis=0)
    return greedy, sampled


def level(recipe: str, env: str, step: int) -> str:
    """What was published after as many steps."""
    return "".join(f"{at.score:.0f}" for at in published(env) if (at.method, at.steps) == (METHODS.get(recipe), step))


def table(*names: str) -> str:
    kept = defaultdict(list)
    for name in names:
        for run in pacer.Run.find(ROOT / "results" / "runs" / name):
            kept[run.config.environment, run.config.label].append(run)
    experiments = [find(str(ROOT / "results" / f"{name}.py")) for name in names]
    *_, before, end = (step for step in STEPS if step <= min(experiment.steps for experiment in experiments))
    lines = [
        f"| | {before:,} steps | {end:,} steps | last {LAST} evaluations | published at {end:,} |",
        "|---|---|---|---|---|",
    ]
    for env in dict.fromkeys(this.env for this in experiments[-1].cells):
        for recipe in (this.recipe for experiment in experiments for this in experiment.cells if this.env == env):
            seeds = [levels(run) for run in sorted(kept[env, recipe], key=lambda run: run.config.seed)]
            if ended := [found for found in seeds if end in found]:
                at = [over([found[step] for found in seeds if step in found]) for step in (before, end)]
                last = over([at_the_end(found, end) for found in ended])
                lines.append(f"| {env}, `{recipe}` | {' | '.join(at)} | {last} | {level(recipe, env, end)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    for page, experiments in PAGES.items():
        path = ROOT / page
        path.write_text(SHOWN.sub(table(*experiments), path.read_text("utf-8")), "utf-8")
