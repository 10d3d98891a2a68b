"""Logs as columns: typed, and readable while they are being written."""

import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.runs.tables import read_columns

KINDS = {"step": int, "mode": str, "return": float}


def table(tmp_path, text):
    (tmp_path / "log.csv").write_text(text)
    return read_columns(tmp_path / "log.csv", KINDS)


def test_columns_have_their_types(tmp_path):
    columns = table(tmp_path, "step,mode,return,loss\n10,greedy,1.5,nan\n20,sampled,-2,1e-3\n")
    assert list(columns) == ["step", "mode", "return", "loss"]
    assert columns["step"].dtype == np.int64
    assert columns["mode"].tolist() == ["greedy", "sampled"]
    np.testing.assert_array_equal(columns["return"], [1.5, -2.0])
    np.testing.assert_array_equal(columns["loss"], [np.nan, 1e-3])


@pytest.mark.parametrize("half", ["3", "30,sam", "30,sampled,1.", "\0\0\0"])
def test_half_a_line_at_the_end_is_not_read(tmp_path, half):
    assert table(tmp_path, f"step,mode,return\n10,greedy,1.5\n{half}")["step"].tolist() == [10]


@pytest.mark.parametrize("text", [None, "", "step,mo", "step,mode,return\n"])
def test_a_log_without_rows_has_its_columns_all_the_same(tmp_path, text):
    columns = read_columns(tmp_path / "log.csv", KINDS) if text is None else table(tmp_path, text)
    assert {name: len(column) for name, column in columns.items()} == {"step": 0, "mode": 0, "return": 0}
    assert (columns["mode"] == "greedy").shape == (0,)


@pytest.mark.parametrize(
    "row, message",
    [
        ("10,greedy", r"log\.csv, line 2: 2 values, expected 3 \(step, mode, return\)"),
        ("x,greedy,1", "cannot be read: .*'x'"),
    ],
)
def test_a_damaged_row_is_named(tmp_path, row, message):
    with pytest.raises(PacerError, match=message):
        table(tmp_path, f"step,mode,return\n{row}\n")
