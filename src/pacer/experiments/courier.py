"""A run folder from one disk to another while its run goes on: what changed, as bytes, with every checkpoint."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from pacer.errors import PacerError
from pacer.runs import lock
from pacer.runs.checkpoints import read_manifest
from pacer.runs.files import numbered, replacing


@dataclass(frozen=True)
class Parcel:
    """New bytes of some files, each from an offset on; and all the files that there are."""

    pieces: tuple[tuple[str, int, bytes], ...]
    names: frozenset[str]


class Outbox:
    """What a folder holds that was not sent yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sent: dict[str, tuple[int, int]] = {}  # time of change and size
        self._checkpoints: list[int] = []
        self._settled: dict[str, int] = {}  # how many bytes of a file that was sent never change

    def mark(self) -> None:
        """Take what is there for sent."""
        self._sent = {name: _state(self._folder / name) for name in _files(self._folder)}
        self._checkpoints = numbered(self._folder / "checkpoint")
        self._settled = _settled(self._folder, self._checkpoints)

    def due(self) -> bool:
        """Whether there is a checkpoint that was not sent."""
        return bool(found := numbered(self._folder / "checkpoint")) and found != self._checkpoints

    def pack(self) -> Parcel | None:
        """What changed; nothing if the run replaced its checkpoint in the meantime: try again, then."""
        before = numbered(self._folder / "checkpoint")
        try:
            states = {name: _state(self._folder / name) for name in _files(self._folder)}
            changed = [name for name, state in states.items() if self._sent.get(name) != state]
            pieces = tuple(self._piece(name) for name in sorted(changed, key=_order))
            settled = _settled(self._folder, before)
        except FileNotFoundError:
            return None
        if numbered(self._folder / "checkpoint") != before:
            return None
        self._sent, self._checkpoints, self._settled = states, before, settled
        return Parcel(pieces, frozenset(states))

    def _piece(self, name: str) -> tuple[str, int, bytes]:
        offset = self._settled.get(name, 0) if name.startswith("replay/") and name in self._sent else 0
        with (self._folder / name).open("rb") as file:
            file.seek(offset)
            return name, offset, file.read()


def unpack(parcel: Parcel, folder: Path) -> None:
    """Write what came: the checkpoint after what it counts on, in one rename, so that an end half-way does no harm."""
    for name, offset, content in parcel.pieces:
        path = folder / name
        if name.startswith("checkpoint/"):
            path = folder / "checkpoint" / ".writing" / path.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if offset:
            with path.open("r+b") as file:
                file.seek(offset)
                file.write(content)
                file.truncate()
        else:
            with replacing(path) as file:
                file.write(content)
        if name.startswith("checkpoint/") and path.name == "manifest.json":
            shutil.rmtree((folder / name).parent, ignore_errors=True)
            os.replace(path.parent, (folder / name).parent)
    for name in _files(folder):
        if name not in parcel.names:
            (folder / name).unlink()
    for empty in (folder / "checkpoint").glob("*"):
        if empty.is_dir() and not any(empty.iterdir()):
            empty.rmdir()


def _settled(folder: Path, checkpoints: list[int]) -> dict[str, int]:
    """What the oldest checkpoint counts on: what is behind that is cut and written anew by a run that goes on."""
    try:
        manifests = [read_manifest(folder / "checkpoint" / str(step)) for step in checkpoints[:1]]
    except PacerError:  # a damaged one: all is sent again
        return {}
    return {name: extent.size for manifest in manifests for name, extent in manifest.grown.items()}


def _files(folder: Path) -> list[str]:
    """The files of a run by their names in the folder; half-written ones are left out."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.name != lock.NAME)
    names = (path.relative_to(folder) for path in found)
    return [str(name) for name in names if not any(part.endswith(".writing") for part in name.parts)]


def _order(name: str) -> tuple[bool, int, bool, str]:
    """First what checkpoints count on, then these, the oldest first and the manifest of each last; then DONE."""
    folder, _, rest = name.partition("/")
    step = rest.partition("/")[0]
    number = int(step) if folder == "checkpoint" and step.isdecimal() else -1
    return name == "DONE", number, name.endswith("manifest.json"), name


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size
