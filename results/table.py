"""Tables that are filled row by row, where what a table has already is not computed again; and tables of pages."""

import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parent / "tables"


def fill(name: str, columns: tuple[str, ...], cells: Iterable[tuple[Any, ...]], result: Callable[..., tuple]) -> None:
    """A row for each cell: the cell in the first columns, `result(*cell)` in the others. Rows deleted are made anew."""
    path = TABLES / f"{name}.csv"
    if not path.exists():
        path.write_text(",".join(columns) + "\n")
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    for cell in cells:
        if any(row[: len(cell)] == list(map(str, cell)) for row in rows):
            continue
        row = (*cell, *result(*cell))
        print(*row, flush=True)
        with path.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(row)


def filled(name: str) -> list[dict[str, str]]:
    """The rows of a table."""
    with (TABLES / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def lines(rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]], corner: str = "") -> str:
    """A table whose head has no word, or this one, for its first column."""
    return "\n".join([lines([(corner, *head)]), "|---" * (len(head) + 1) + "|", lines(rows)])
