"""Writing files so that a crash leaves the old one or the new one, never a half; and JSON with a format version."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from pacer.errors import PacerError

FORMAT = 2


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write to; what was written takes the place of `path` at once, when it is complete."""
    temporary = path.with_name(f".{path.name}.writing")
    yield temporary
    sync(temporary)
    os.replace(temporary, path)


def sync(path: Path) -> None:
    """Have a file or folder reach the disk before what is written next."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def save_json(path: Path, content: dict[str, Any]) -> None:
    try:
        text = json.dumps({"format": FORMAT, **content}, indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise PacerError(f"{path.name} cannot be written as JSON: {error}") from error
    with replacing(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def load_json(path: Path) -> dict[str, Any]:
    """A JSON file of ours, refused if it is of another format."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError) as error:
        raise PacerError(f"{path} cannot be read: {error}") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else None
        raise PacerError(f"{path} is of format {found!r}, and this version of pacer reads format {FORMAT}")
    return content


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number in JSON")
