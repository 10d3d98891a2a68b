"""`pacer examine`: a look inside finished runs, for the heat maps and return distributions of their report."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from pacer.experiments.insight import examine


@dataclass(frozen=True)
class Arguments:
    """Sample the actions of a run's agents by phase, and compare the returns they foretell with those they get."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN...")]
    """Run folders; what is found goes into their folder `insight`, where `pacer report` reads it."""
    states: int = 3
    """States in which actions are sampled, and starts whose returns are compared."""
    samples: int = 100_000
    """Actions per state and phase."""
    episodes: int = 30
    """Episodes per start."""
    seed: int = 0
    env: str | None = None
    """The environment, where the run was trained on one of your own: module:Id-v0."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer examine")
    for run in chosen.runs:
        written = examine(run, chosen.states, chosen.samples, chosen.episodes, chosen.seed, chosen.env)
        print(f"what was found is in {written}", flush=True)
