"""One process writes a run folder at a time: the lock, whose it is, and whether somebody holds it.

The lock is the operating system's, which ends with the process. The file also says who took it: some network file
systems let two processes lock one file, and then the one that finds another's name in it stops.
"""

import errno
import os
import platform
import re
import secrets
import time
from pathlib import Path
from typing import NamedTuple, TextIO

from pacer.errors import PacerError, option
from pacer.runs.files import no_link, writing

try:
    import fcntl
except ImportError as error:
    raise PacerError("runs are kept apart by locks that Windows does not have: use pacer in WSL") from error

NAME = ".lock"
TRIES, PAUSE = 5, 0.02  # `held` takes the lock for a moment, and must not be taken for a run


class TakenOver(PacerError):
    """Another process writes this folder now."""


class Owner(NamedTuple):
    """A process, as the file names it."""

    pid: int
    started: str
    """When, in the clock of its machine: numbers of processes come back, this does not."""
    host: str
    token: str = ""

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"

    @property
    def here(self) -> bool:
        return self.host == platform.node()

    @property
    def alive(self) -> bool:
        """Of a process of this machine."""
        return bool(self.started) and _started(self.pid) == self.started

    def line(self) -> str:
        return f"{self}, started {self.started}, token {self.token}"

    @staticmethod
    def read(text: str) -> "Owner | None":
        found = re.fullmatch(r"process (\d{1,18}) on (\S*), started (\d*), token ([0-9a-f]+)", text.strip())
        return Owner(int(found[1]), found[3], found[2], found[4]) if found else None


class Lock:
    """A lock that is held; `close`, or the end of the process, gives it back."""

    def __init__(self, file: TextIO, folder: Path) -> None:
        self._file, self._folder = file, folder
        self._owner = Owner(os.getpid(), _started(os.getpid()), platform.node(), secrets.token_hex(8))
        with writing(folder / NAME):
            file.truncate(0)
            file.write(self._owner.line())
            file.flush()
        _descriptors.add(file.fileno())

    def check(self) -> None:
        """Refuse to go on where another process took the folder all the same."""
        owner = _owner(self._folder)
        if owner and owner.token != self._owner.token:
            raise TakenOver(
                f"{self._folder} was taken over by {owner}, which does not see the lock of this run: its file system "
                "has no locks that work. This run ends here and leaves the folder to that one, which repeats its steps"
            )

    def close(self) -> None:
        if not self._file.closed:
            _descriptors.discard(self._file.fileno())
            if _owner(self._folder) == self._owner:
                self._file.truncate(0)
            self._file.close()


def take(folder: Path) -> Lock:
    """The lock of a folder, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / NAME, "a+", encoding="utf-8", opener=no_link)  # noqa: SIM115 (the lock is kept)
    except OSError as error:
        told = f"the run folder {folder} cannot be written: {error}. Name another with {option('run-dir')}"
        raise PacerError(told) from error
    for _ in range(TRIES):
        if _lock(file, fcntl.LOCK_EX) and not _lives_here(_owner(folder)):
            return Lock(file, folder)
        time.sleep(PAUSE)
    occupied = _occupied(folder, file)
    file.close()
    raise PacerError(occupied)


def held(folder: Path) -> bool:
    """Whether a living run holds the lock of a folder; what a run left behind, such as a child, is none."""
    try:
        with (folder / NAME).open(encoding="utf-8") as file:
            owner = _owner(folder)
            return _lives_here(owner) if _lock(file, fcntl.LOCK_SH) else not _left_behind(owner, file)
    except OSError:
        return False


def _lives_here(owner: Owner | None) -> bool:
    return owner is not None and owner.here and owner.alive


def _occupied(folder: Path, file: TextIO) -> str:
    owner = _owner(folder)
    if left := _left_behind(owner, file):
        return (
            f"{folder} is held by process {', '.join(left)}, which {owner} left behind when it was killed: "
            f"end it (kill {left[0]}), or name another folder"
        )
    return f"{folder} is in use by another run ({owner or 'which has not said its name'}): wait, or name another folder"


def _left_behind(owner: Owner | None, file: TextIO) -> list[str]:
    """The numbers of processes that have the lock though the one that took it is gone."""
    gone = owner is not None and owner.here and owner.started and not owner.alive
    return _holders(file) if gone else []


def _holders(file: TextIO) -> list[str]:
    """The numbers of other processes that have this file open, as far as this one may know."""
    ours = os.fstat(file.fileno())
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            opened = [os.stat(descriptor) for descriptor in (process / "fd").iterdir()]
        except OSError:  # somebody else's, or gone
            continue
        if process.name != str(os.getpid()) and any(os.path.samestat(ours, each) for each in opened):
            found.append(process.name)
    return found


def _owner(folder: Path) -> Owner | None:
    try:
        return Owner.read((folder / NAME).read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def _started(pid: int) -> str:
    """When a living process of this machine began, in ticks since the start of that; nothing if it is gone."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if told[0] in "ZX" else told[19]


def _lock(file: TextIO, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # a file system without locks: there is still the name in the file
        if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
    return True


_descriptors: set[int] = set()


def _forget() -> None:
    """In a forked child, such as an environment's own worker, which may outlive the run: it holds no lock."""
    for descriptor in _descriptors:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, descriptor)  # not closed: its number would be given to another file, and closed with it
        os.close(nothing)
    _descriptors.clear()


os.register_at_fork(after_in_child=_forget)
