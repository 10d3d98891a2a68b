"""The logs of a run as columns."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacer.errors import PacerError

Columns = dict[str, NDArray[Any]]


def read_columns(path: Path, kinds: Mapping[str, type]) -> Columns:
    """A CSV file by column. `kinds` are the columns it always has; all others hold real numbers."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    # A run that goes on, or was killed, may have half a line at the end.
    header, *rows = [line.split(",") for line in text.split("\n")[:-1]] or [list(kinds)]
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise PacerError(f"{path}, line {number}: {len(row)} values, expected {len(header)} ({', '.join(header)})")
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    try:
        return {n: np.array(c, str).astype(kinds.get(n, float)) for n, c in zip(header, columns, strict=True)}
    except ValueError as error:
        raise PacerError(f"{path} cannot be read: {error}") from error
