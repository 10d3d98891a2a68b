"""`pacer compare`: curves and scores of several runs, over seeds."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro

from pacer.errors import PacerError
from pacer.reports.compare import compare


@dataclass(frozen=True)
class Arguments:
    """Curves over seeds with their intervals in one picture, and a table of scores. `pacer report` shows far more."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN...")]
    """Run folders, or folders that hold runs."""
    output: Path = Path("compare.png")
    """The picture, by its name a PNG, SVG, PDF or HTML."""
    mode: Literal["greedy", "sampled"] = "greedy"
    """How the agents play in the evaluations that are compared."""
    window: int = 1
    """Evaluations over which curves are smoothed, an odd number."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer compare")
    if not chosen.runs:
        raise PacerError("name run folders, or folders that hold runs, such as runs/")
    print(compare(*chosen.runs, output=chosen.output, mode=chosen.mode, window=chosen.window))
    print(f"\nthe curves are in {chosen.output}")
