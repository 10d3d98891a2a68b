"""Several runs side by side, in one figure and one table: `pacer.compare`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pacer.errors import PacerError
from pacer.reports.cells import Cell, Scored, cells
from pacer.reports.dataset import load
from pacer.reports.figures import SETTINGS, learning_curves, matplotlib
from pacer.reports.portrait import write
from pacer.reports.statistics import NARROW, chance
from pacer.reports.style import styles
from pacer.reports.text import NONE, Table, aligned, interval, number, steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Comparison(NamedTuple):
    """A figure of the curves, and a table, whose text is printed."""

    figure: "Figure"
    table: Table

    def __str__(self) -> str:
        return aligned(self.table)


def compare(*runs: str | Path, output: str | Path | None = None, mode: str = "greedy", window: int = 1) -> Comparison:
    """Runs, or all below some folders, by task and algorithm: means over seeds with their 95 % intervals.

    `output` may end with .png, .svg, .pdf or .html; curves are smoothed over `window` evaluations, an odd number.
    """
    if window < 1 or window % 2 == 0:
        raise PacerError(f"window is {window}: expected an odd number, so that as many lie before a point as after it")
    scored = gathered(runs)
    if not any(mode in run.curves and run.curves[mode].steps.size for run in scored):
        raise PacerError(f"no run in {', '.join(map(str, runs)) or 'nothing'} has a {mode} evaluation yet")
    with matplotlib().rc_context(SETTINGS):
        figure = learning_curves(scored, styles(run.label for run in scored), mode, window)
    if output is not None:
        write(figure, Path(output))
    return Comparison(figure, table(cells(scored, mode)))


def gathered(roots: Sequence[str | Path]) -> list[Scored]:
    """The runs below the roots; where two roots hold a run of the same name and seed, labels tell the root too."""
    once = {run.path.resolve(): (str(root), run) for root in reversed(roots) for run in load([root]).distinct}
    found = list(once.values())  # a run below two roots counts once, as one of the first
    places: dict[tuple[str, str, int], set[Path]] = {}
    for path, (_, run) in once.items():
        places.setdefault((run.environment, run.label, run.seed), set()).add(path)
    alike = any(len(paths) > 1 for paths in places.values())
    return [replace(run.scored, label=f"{run.label} ({root})") if alike else run.scored for root, run in found]


def table(compared: Sequence[Cell]) -> Table:
    """A row for each task and algorithm; the first algorithm of a task is what the others are held against."""
    first: dict[str, Cell] = {}
    rows, data = [], []
    for cell in compared:
        base = first.setdefault(cell.environment, cell)
        wins = None if cell is base else chance([cell.finals], [base.finals])
        row = {"task": cell.environment, "algorithm": cell.label, "seeds": cell.seeds, "begun": cell.begun}
        row |= {"steps": cell.steps, "final": cell.iqm.value, "low": cell.iqm.low, "high": cell.iqm.high}
        row |= {"best": cell.best_of_mean, "area": cell.area, "better": wins.value if wins else None}
        data.append(row | {"better_low": wins.low if wins else None, "better_high": wins.high if wins else None})
        rows.append(
            [
                cell.environment,
                cell.label,
                f"{cell.seeds}" if cell.seeds == cell.begun else f"{cell.seeds} of {cell.begun}",
                steps(cell.steps),
                number(cell.iqm.value) + interval(cell.iqm.low, cell.iqm.high),
                number(cell.best_of_mean),
                number(cell.area),
                number(wins.value) + interval(wins.low, wins.high) if wins else NONE,
            ]
        )
    columns = ["task", "algorithm", "seeds", "steps", "final", "best", "area", "P(better)"]
    note = (
        "final: interquartile mean over seeds of the last 10 evaluations, with a 95 % bootstrap interval from two "
        "seeds on; best: highest point of the mean curve; area: mean return over the steps; P(better): the probability "
        f"that a run beats one of the task's first algorithm, from two seeds of both on. {NARROW}"
    )
    return Table("comparison", "Comparison", note, columns, rows, data)
