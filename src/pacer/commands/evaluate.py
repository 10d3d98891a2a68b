"""`pacer evaluate`: whole episodes of a trained agent, on raw rewards."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from pacer.api import evaluate
from pacer.envs.make import parse_options
from pacer.observers.events import Episode
from pacer.reports.statistics import cvar
from pacer.training.evaluate import MODES

QUANTILES = (0.1, 0.5, 0.9)
TAIL = 0.1  # of CVaR: the mean of this share of the episodes, the worst


@dataclass(frozen=True)
class Arguments:
    """Judge a trained agent on new episodes, playing greedily and sampling."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder, or an agent folder in it: RUN/best, RUN/snapshots/STEP."""
    episodes: int = 10
    seed: int = 1_000
    """Decides the episodes' starts."""
    env: str | None = None
    """The environment, where it is one of your own (module:Id-v0), or another than the run's."""
    env_kwargs: str | None = None
    """Its options, as JSON."""
    wrapper: tuple[str, ...] = ()
    """Its wrappers, as module:Class."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer evaluate")
    options = None if chosen.env_kwargs is None else parse_options(chosen.env_kwargs)
    told = evaluate(
        chosen.run,
        chosen.env,
        episodes=chosen.episodes,
        seed=chosen.seed,
        env_kwargs=options,
        wrappers=chosen.wrapper or None,
        warn=lambda text: print(f"pacer: {text}", file=sys.stderr),
    )
    played = {mode: [e for e in told.episodes if e.mode == mode] for mode in MODES}
    print(table(f"returns of {chosen.episodes} episodes", {mode: figures(of) for mode, of in played.items()}))
    print(table("\nmeans of the rest", {mode: means(of) for mode, of in played.items()}))


def table(title: str, rows: Mapping[str, Mapping[str, float]]) -> str:
    """Rows of figures under the names of the first."""
    names = list(next(iter(rows.values())))
    widths = [max(10, len(name)) for name in names]
    head = " ".join([" " * 8, *(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))])
    lines = (
        " ".join([f"{mode:8}", *(f"{row[name]:{width}.2f}" for name, width in zip(names, widths, strict=True))])
        for mode, row in rows.items()
    )
    return "\n".join([title, head, *lines])


def figures(episodes: Sequence[Episode]) -> dict[str, float]:
    """Mean, deviation and quantiles of the returns, and CVaR: the mean of the worst tenth."""
    totals = np.sort([e.total for e in episodes])
    return {
        "mean": totals.mean(),
        "deviation": totals.std(),
        "lowest": totals[0],
        **{f"{100 * q:.0f} %": np.quantile(totals, q) for q in QUANTILES},
        "highest": totals[-1],
        f"CVaR({TAIL:g})": cvar(totals, TAIL),
    }


def means(episodes: Sequence[Episode]) -> dict[str, float]:
    """Mean length and discounted return, and means of what the environment measures."""
    rows = [{"length": e.length, "discounted": e.discounted, **e.measures} for e in episodes]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
