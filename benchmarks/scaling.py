"""How the cost grows: of an update with each size of `pacer`, of the replay with its rows, of runs side by side.

    python benchmarks/scaling.py [--quick]

Writes results/scaling.md and docs/images/scaling.svg. The last table needs two idle cores.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from race import FOLDER, keep, pace
from updates import measure

from pacer.pieces import MLP
from pacer.pieces.recipe import Recipe
from pacer.pieces.types import Space
from pacer.presets import SIZES
from pacer.recipes import RECIPES
from pacer.training.play import Step
from pacer.training.replay import Replay

SPACE = Space(17, 6)
BASE = SIZES["small"].apply(RECIPES["pacer"][1])
FIGURE = FOLDER.parent / "docs" / "images" / "scaling.svg"
LOOP = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
from timing import products, seconds
chain = products(256, 2_000)
seconds(chain)
print(1 / sum(seconds(chain) for _ in range(10)))
"""


def changed(piece: Any, **changes: Any) -> Any:
    return replace(piece, **changes)


def widened(width: int) -> Recipe:
    body = MLP((width, width))
    return replace(BASE, actor=changed(BASE.actor, body=body), critic=changed(BASE.critic, body=body))


SWEEPS: dict[str, tuple[tuple[int, ...], Callable[[int], tuple[Recipe, Space]]]] = {
    "batch": ((64, 128, 256, 512, 1024), lambda n: (replace(BASE, batch=n), SPACE)),
    "width": ((64, 128, 256, 512, 1024), lambda n: (widened(n), SPACE)),
    "levels": ((8, 16, 32, 64, 128), lambda n: (replace(BASE, critic=changed(BASE.critic, levels=n)), SPACE)),
    "states": ((4, 8, 16, 32, 64), lambda n: (replace(BASE, encourager=changed(BASE.encourager, states=n)), SPACE)),
    "actions": ((1, 3, 6, 17, 32), lambda n: (BASE, Space(17, n))),
}


def fill(replay: Replay, rows: int) -> Any:
    """Episodes of 1,000 steps, as many as have so many rows."""
    rng = np.random.default_rng(0)
    obs, action = (rng.random(size, np.float32) for size in SPACE)
    count: Any = 0
    for number in range(rows - rows // 1_000):
        count = replay.add(0, count, Step(0, obs, action, obs, 1.0, False, number % 999 == 998, {}))
    return np.array([count])


def resident() -> float:
    """Megabytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * resource.getpagesize() / 2**20


def remember(rows: int) -> tuple[float, float]:
    """Milliseconds to gather a block's batches from so many rows, and megabytes that these take."""
    before = resident()
    replay = Replay(SPACE, rows)
    counts, rng, times = fill(replay, rows), np.random.default_rng(0), []
    for _ in range(20):
        start = time.process_time()
        replay.sample(counts, rng, 50, 256, 0.99)
        times.append(time.process_time() - start)
    return 1e3 * float(np.median(times)), resident() - before


def bare(core: int) -> float:
    """The pace of products alone."""
    command = [sys.executable, "-c", LOOP, str(core)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=FOLDER).stdout)


def gain(pace_on: Callable[[int], float]) -> float:
    """The sum of the paces of two processes at once, over that of one."""
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(pace_on, (0, 1))) / pace_on(0)


def draw(curves: dict[str, tuple[tuple[int, ...], list[float]]]) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3, figsize=(9, 5), layout="constrained", sharey=True)
    for axis, (name, (values, costs)) in zip(axes.flat, curves.items(), strict=True):
        axis.plot(values, costs, marker="o")
        axis.set(xlabel=name, xscale="log", yscale="log", xticks=values, xticklabels=values)
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    for axis in axes[:, 0]:
        axis.set_ylabel("products per update")
    figure.savefig(FIGURE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two values of each, and no figure: to see that it works")
    parser.add_argument("--part", choices=["updates", "replay", "cores"], help="one of the tables (all by default)")
    arguments = parser.parse_args()
    chosen = [arguments.part] if arguments.part else ["updates", "replay", "cores"]
    texts = []
    if "updates" in chosen:
        curves, lines = {}, ["| `pacer`, small | products per update |", "|---|---|"]
        for name, (values, variant) in SWEEPS.items():
            values = values[1:3] if arguments.quick else values
            costs = []
            for value in values:
                recipe, space = variant(value)
                update_time, product_time, _ = measure(recipe, 256, space)
                costs.append(update_time / product_time)
            curves[name] = (values, costs)
            lines.append(f"| {name} | {', '.join(f'{v}: {c:.0f}' for v, c in zip(values, costs, strict=True))} |")
            print(lines[-1], flush=True)
        texts.append("\n".join(lines))
        if not arguments.quick:
            draw(curves)
    if "replay" in chosen:
        lines = ["| rows in the replay | gathering a block, ms | memory, MB |", "|--:|--:|--:|"]
        for rows in (10_000, 100_000) if arguments.quick else (10_000, 100_000, 1_000_000):
            lines.append("| {:,} | {:.2f} | {:.0f} |".format(rows, *remember(rows)))
        texts.append("\n".join(lines))
    if "cores" in chosen:
        lines = ["| two processes on two cores / one | |", "|---|--:|"]
        steps = 500 if arguments.quick else 3_000
        lines.append(f"| products of matrices | {gain(bare):.2f} |")
        for name in ("pacer:sac", "pacer:pacer"):
            lines.append(f"| runs of {name} | {gain(partial(pace, name, 'HalfCheetah-v4', steps)):.2f} |")
        texts.append("\n".join(lines))
    keep("scaling", "\n\n".join(texts), whole=not (arguments.quick or arguments.part))


if __name__ == "__main__":
    main()
