"""Files that a crash leaves old or new, never half; reading that no file can harm; and JSON with a format version."""

import errno
import json
import math
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from pacer.errors import PacerError
from pacer.runs.formats import FORMAT, OLDEST, upgraded

LARGEST_JSON = 4 << 20  # bytes
DEEPEST = 64  # JSON values inside each other
_WRITING = re.compile(r"\..+\.[0-9a-f]{16}\.writing")


class NotWritten(PacerError):
    """The disk refused a file."""


@contextmanager
def writing(path: Path, size: int = 0) -> Iterator[None]:
    """Around what writes `size` bytes to `path`: an error of the disk names the file and, if it is full, the need."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            with suppress(OSError):
                why = f"{why}; it needs {size:,} bytes, and {shutil.disk_usage(path.parent).free:,} are free"
        raise NotWritten(
            f"{path} cannot be written: {why}. Make room or mend the disk; the same command then continues a run from "
            "its last checkpoint"
        ) from error


@contextmanager
def replacing(path: Path, size: int = 0) -> Iterator[BinaryIO]:
    """A file to write to; what was written, `size` bytes, takes the place of `path` at once, when it is complete."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.writing")
    try:
        with writing(path, size):
            with temporary.open("xb") as file:  # which never opens what is there already, be it a link
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def clean(folder: Path) -> None:
    """Remove what interrupted calls of `replacing` left in a folder."""
    for left in folder.glob(".*.writing"):
        if _WRITING.fullmatch(left.name):
            left.unlink()


def made(folder: Path) -> Path:
    """A folder inside a run's, which is made if need be and must not lead elsewhere."""
    folder.mkdir(exist_ok=True)
    if folder.is_symlink():
        raise PacerError(f"{folder} is a symbolic link, and nothing is written outside the run's folder: remove it")
    return folder


def no_link(name: str, flags: int) -> int:
    """An opener of files to write, which are made if need be; refuses a link."""
    return os.open(name, flags | os.O_CREAT | os.O_NOFOLLOW, 0o666)


def sync(path: Path) -> None:
    """Have a file or folder reach the disk before what is written next."""
    with writing(path):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def opened(path: Path, largest: int | None = None) -> Iterator[FileIO]:
    """An ordinary file to read from, of `largest` bytes at most; a pipe or a device would have us wait for ever."""
    with open(path, "rb", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise PacerError(f"{path} cannot be read: it is not an ordinary file")
        if largest is not None and found.st_size > largest:
            raise PacerError(f"{path} cannot be read: it has {found.st_size} bytes, and {largest} is the most expected")
        yield file


def numbered(folder: Path) -> list[int]:
    """The folders in `folder` whose names are plain numbers, lowest first."""
    found = (p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else ()
    return sorted(int(name) for name in found if re.fullmatch(r"0|[1-9][0-9]{0,17}", name))


def save_json(path: Path, content: dict[str, Any]) -> None:
    try:
        text = json.dumps({"format": FORMAT} | content | {"format": FORMAT}, indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise PacerError(f"{path.name} cannot be written as JSON: {error}") from error
    written = f"{text}\n".encode()
    with replacing(path, len(written)) as file:
        file.write(written)


def load_json(path: Path) -> dict[str, Any]:
    """A JSON file of ours, as one of today's format; `format` in it is the one it has on disk."""
    try:
        with opened(path, LARGEST_JSON) as file:
            text = file.readall().decode()
        content = json.loads(
            text, parse_constant=_refuse, parse_float=_finite, parse_int=_moderate, object_pairs_hook=_distinct
        )
    except (OSError, ValueError, RecursionError) as error:
        raise PacerError(f"{path} cannot be read: {error}") from error
    found = content.get("format") if isinstance(content, dict) else None
    if type(found) is not int or not OLDEST <= found <= FORMAT:
        raise PacerError(f"{path} is of format {found!r}, and this version of pacer reads formats {OLDEST} to {FORMAT}")
    if _depth(content) > DEEPEST:
        raise PacerError(f"{path} cannot be read: it has values more than {DEEPEST} deep inside each other")
    upgrade: dict[str, Any] = upgraded(content, found)
    return upgrade


def _depth(content: Any) -> int:
    depth, level = 0, [content]
    while level and depth <= DEEPEST:
        depth += 1
        inner = (value.values() if isinstance(value, dict) else value for value in level)
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
    return depth


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")


def _finite(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ValueError(f"the number {digits[:20]} is too large")
    return number


def _moderate(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError(f"the number {digits[:20]}... is too large")
    return int(digits)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is there twice")
    return content
