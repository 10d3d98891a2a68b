"""Tables as values, in Markdown and in CSV; and how numbers are written."""

import csv
import io
import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NONE = "-"


@dataclass(frozen=True)
class Table:
    """Text to read and, for those who compute with it, the numbers behind it."""

    name: str
    """As a file is called."""
    title: str
    note: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    data: Sequence[Mapping[str, Any]]


def markdown(table: Table) -> str:
    lines = [table.columns, ["---"] * len(table.columns), *table.rows]
    body = "\n".join(f"| {' | '.join(map(_escaped, line))} |" for line in lines)
    return f"## {_escaped(table.title)}\n\n{body}\n\n{_escaped(table.note)}\n"


def aligned(table: Table) -> str:
    """Columns under their names, for a terminal."""
    lines = [list(table.columns), *map(list, table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    body = "\n".join("  ".join(f"{cell:{w}}" for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)
    return f"{body}\n\n{textwrap.fill(table.note, 100)}"


def csv_text(table: Table) -> str:
    """The numbers, one row per cell; what is not known is empty."""
    file = io.StringIO()
    columns = list(dict.fromkeys(key for row in table.data for key in row))
    writer = csv.DictWriter(file, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _plain(value) for key, value in row.items()} for row in table.data)
    return file.getvalue()


def number(value: float | None) -> str:
    """A return, with as many digits as help."""
    if value is None or not math.isfinite(value):
        return NONE
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def plus_minus(value: float | None, deviation: float | None) -> str:
    """A return and its deviation, where there is one."""
    shown = number(deviation)
    return number(value) if shown == NONE else f"{number(value)} ± {shown}"


def interval(low: float, high: float) -> str:
    return "" if math.isnan(low) else f" [{number(low)}, {number(high)}]"


def steps(value: float) -> str:
    """Steps as 12.5k or 1M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.0f}"


def slug(name: str) -> str:
    """A name as part of a file's."""
    return re.sub(r"[^\w.+-]+", "-", name, flags=re.ASCII).strip("-")


def _plain(value: Any) -> Any:
    """A value as a CSV file has it: no number is nothing, and digits that differ from processor to processor go."""
    if not isinstance(value, float):
        return "" if value is None else value
    return "" if math.isnan(value) else float(f"{value:.12g}")


def _escaped(text: str) -> str:
    """Markdown without a meaning that the text did not intend."""
    for character, instead in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("\n", " ")):
        text = text.replace(character, instead)
    return text
