"""`pacer report`: a page, tables and figures of the runs in some folders."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import tyro
from numpy.typing import NDArray

from pacer.errors import PacerError
from pacer.reports.dataset import Dataset, load
from pacer.reports.page import write
from pacer.reports.results import results
from pacer.reports.text import csv_text, markdown
from pacer.reports.watch import changes
from pacer.training.stopping import tidying


@dataclass(frozen=True)
class Arguments:
    """One page with tables and charts of all runs in and below some folders. It needs no network to be read."""

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional]
    """Run folders, or folders that hold runs; runs/ unless named."""
    output: Path = Path("report.html")
    tables: Path | None = None
    """A folder for every table as Markdown and CSV."""
    figures: Path | None = None
    """A folder for figures as SVG and PDF, for papers."""
    watch: bool = False
    """Write the page anew while runs go on, until Ctrl-C; an open page follows by itself."""
    every: float = 10
    """Seconds between two looks at the runs, when watching."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer report")
    chosen = chosen if chosen.runs else replace(chosen, runs=(Path("runs"),))
    if chosen.every < 1:
        raise PacerError(f"every is {chosen.every:g}: expected a second or more")
    if chosen.watch:
        _watch(chosen)
    else:
        _write(chosen)


def _write(chosen: Arguments, reload: float = 0) -> None:
    started = time.monotonic()
    data = load(chosen.runs)
    if not data.runs and not chosen.watch:
        told = "".join(f"\n  {path}: {why}" for path, why in data.problems[:5])
        raise PacerError(f"no run in {', '.join(map(str, chosen.runs))}{told}")
    write(data, chosen.output, _title(chosen.runs), reload)
    if chosen.tables:
        _tables(data, chosen.tables)
    if chosen.figures:
        _figures(data, chosen.figures)
    unread = f", {len(data.problems)} could not be read" if data.problems else ""
    seconds = time.monotonic() - started
    print(
        f"{chosen.output}: {len(data.runs)} run{'' if len(data.runs) == 1 else 's'}{unread}; {seconds:.1f} s",
        flush=True,
    )


def _watch(chosen: Arguments) -> None:
    """The last page, after Ctrl-C, is one that stays as it is."""
    print("watching; Ctrl-C ends it", flush=True)
    own = [path for path in (chosen.output, chosen.tables, chosen.figures) if path]
    try:
        with tidying():
            for _ in changes(chosen.runs, chosen.every, own):
                _write(chosen, chosen.every)
    except KeyboardInterrupt:
        _write(chosen)


def _tables(data: Dataset, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for table in results(data):
        (folder / f"{table.name}.md").write_text(markdown(table), encoding="utf-8")
        (folder / f"{table.name}.csv").write_text(csv_text(table), encoding="utf-8")


def _figures(data: Dataset, folder: Path) -> None:
    from pacer.reports import figures  # matplotlib, which a page does without

    returns: dict[str, dict[str, list[NDArray[Any]]]] = {}
    for run in data.complete:
        if (late := run.late("greedy")).size:
            returns.setdefault(run.environment, {}).setdefault(run.label, []).append(late)
    figures.write([run.scored for run in data.distinct], folder, returns=returns)


def _title(roots: tuple[Path, ...]) -> str:
    return f"pacer report: {', '.join(path.name or str(path.resolve()) for path in roots)}"
