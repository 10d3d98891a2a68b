"""JSON files: what is not ours is refused by name, and what cannot be written touches nothing."""

import errno
import os

import pytest

from pacer.errors import PacerError
from pacer.runs.files import NotWritten, load_json, save_json, writing
from pacer.runs.formats import FORMAT


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "cannot be read"),
        ("{", "cannot be read"),
        ('{"format": 1, "a": NaN}', "NaN is not a number in JSON"),
        ('{"format": 1}', f"of format 1, and this version of pacer reads formats 2 to {FORMAT}"),
        ("{}", "of format None"),
        ("[1]", "of format None"),
        ('{"format": 1, "a": ' + "[" * 200_000, "cannot be read"),
        ("\xff\xfe", "cannot be read"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_by_name(text, message, tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(PacerError, match=message) as error:
        load_json(path)
    assert str(path) in str(error.value)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(PacerError, match=r"nothing\.json cannot be read"):
        load_json(tmp_path / "nothing.json")


def test_values_that_json_cannot_hold_are_refused_before_the_file_is_touched(tmp_path):
    path = tmp_path / "run.json"
    save_json(path, {"a": 1})
    for value in (object(), float("nan")):
        with pytest.raises(PacerError, match=r"run\.json cannot be written as JSON"):
            save_json(path, {"a": value})
    assert load_json(path)["a"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    "number, why",
    [
        (errno.ENOSPC, r"No space left on device; it needs 12,345 bytes, and [\d,]+ are free"),
        (errno.EDQUOT, r"Disk quota exceeded; it needs 12,345 bytes, and [\d,]+ are free"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_an_error_of_the_disk_names_the_file_and_what_it_needs(tmp_path, number, why):
    said = rf"^{tmp_path}/state cannot be written: {why}\. Make room"
    with pytest.raises(NotWritten, match=said) as error, writing(tmp_path / "state", 12_345):
        raise OSError(number, os.strerror(number))
    assert "\n" not in str(error.value)
