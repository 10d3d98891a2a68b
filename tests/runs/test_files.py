"""JSON files: what is not ours is refused by name, and what cannot be written touches nothing."""

import errno
import os
from contextlib import suppress

import pytest

from pacer.errors import PacerError
from pacer.runs.files import NotWritten, clean, load_json, replacing, save_json, writing
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


def test_what_is_written_never_goes_through_a_link_and_has_the_mode_that_the_user_wants(tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "run.json"
    victim.write_text("precious")
    path.symlink_to(victim)
    before = os.umask(0o027)
    try:
        save_json(path, {"a": 1})
    finally:
        os.umask(before)
    assert victim.read_text() == "precious"
    assert (path.is_symlink(), load_json(path)["a"], path.stat().st_mode & 0o777) == (False, 1, 0o640)


def test_temporary_names_differ_and_what_was_interrupted_is_cleaned(tmp_path):
    names = set()
    for _ in range(2):
        with suppress(KeyboardInterrupt), replacing(tmp_path / "a") as file:
            names |= {p.name for p in tmp_path.iterdir()}
            file.write(b"half")
            raise KeyboardInterrupt
    assert len(names) == 2
    assert list(tmp_path.iterdir()) == []
    for name in (*names, ".other.writing", "mine.writing"):  # as after a power cut, and of somebody else
        (tmp_path / name).write_text("")
    clean(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [".other.writing", "mine.writing"]


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"format": 3, "a": 1, "a": 2}', "the key 'a' is there twice"),
        ('{"format": 3, "a": 1e999}', "the number 1e999 is too large"),
        ('{"format": 3, "a": 1' + "0" * 30 + "}", "is too large"),
        ('{"format": true}', "of format True"),
        ('{"format": 3, "a": ' + "[" * 70 + "]" * 70 + "}", "more than 64 deep"),
        ('{"format": 3, "\x1b[2J": 1, "\x1b[2J": 2}', "cannot be read"),
    ],
)
def test_hostile_json_is_refused_in_words_that_harm_no_terminal(text, message, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(PacerError, match=message) as error:
        load_json(path)
    assert str(error.value).isprintable()


def test_pipes_devices_and_giants_are_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "giant").touch()
    os.truncate(tmp_path / "giant", 10**12)
    for name, message in (("pipe", "ordinary file"), ("zero", "ordinary file"), ("giant", "1000000000000 bytes")):
        with pytest.raises(PacerError, match=message):
            load_json(tmp_path / name)


def test_a_long_message_is_cut():
    assert len(str(PacerError("x" * 10**6))) < 5_000
    assert str(PacerError("a\x1b[31mb\u202ec\x00\nd")) == "a\\x1b[31mb\\u202ec\\x00\nd"
