"""One process writes a run folder at a time: the lock, and whether somebody holds it."""

import fcntl
import os
import platform
import time
from pathlib import Path
from typing import TextIO

from pacer.errors import PacerError

NAME = ".lock"
TRIES, PAUSE = 5, 0.02  # `held` takes the lock for a moment, and must not be taken for a run


def take(folder: Path) -> TextIO:
    """The lock of a folder, which is made if need be; closing the file, or the end of the process, gives it back."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / NAME).open("a+", encoding="utf-8")
    except OSError as error:
        raise PacerError(f"the run folder {folder} cannot be written: {error}. Name another with --run-dir") from error
    for _ in range(TRIES):
        if _lock(file, fcntl.LOCK_EX):
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()}")
            file.flush()
            return file
        time.sleep(PAUSE)
    file.seek(0)
    holder = file.read().strip()
    file.close()
    raise PacerError(f"{folder} is in use by another run ({holder}): wait, or name another folder")


def held(folder: Path) -> bool:
    """Whether a living process holds the lock of a folder."""
    try:
        with (folder / NAME).open(encoding="utf-8") as file:
            return not _lock(file, fcntl.LOCK_SH)
    except FileNotFoundError:
        return False


def _lock(file: TextIO, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
