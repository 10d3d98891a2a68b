"""The logs of a run as columns."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacer.errors import PacerError
from pacer.runs.files import opened

LARGEST = 256 << 20  # bytes
Columns = dict[str, NDArray[Any]]


def read_columns(path: Path, kinds: Mapping[str, type]) -> Columns:
    """A CSV file by column. `kinds` are the columns it always has; all others hold real numbers."""
    try:
        with opened(path, LARGEST) as file:
            text = file.readall().decode(errors="replace")
    except FileNotFoundError:
        return no_rows(kinds)
    except OSError as error:
        raise PacerError(f"{path} cannot be read: {error}") from error
    # A run that goes on, or was killed, may have half a line at the end.
    header, *rows = [line.split(",") for line in text.split("\n")[:-1]] or [list(kinds)]
    if missing := [name for name in kinds if name not in header]:
        raise PacerError(f"{path} lacks the column {', '.join(missing)}")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise PacerError(f"{path}, line {number}: {len(row)} values, expected {len(header)} ({', '.join(header)})")
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    try:
        return {n: np.array(c, str).astype(kinds.get(n, float)) for n, c in zip(header, columns, strict=True)}
    except (ValueError, OverflowError) as error:
        raise PacerError(f"{path} cannot be read: {error}") from error


def no_rows(kinds: Mapping[str, type]) -> Columns:
    """What a file without any rows holds."""
    return {name: np.array([], str).astype(kind) for name, kind in kinds.items()}
