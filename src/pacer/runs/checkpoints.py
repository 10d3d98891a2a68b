"""What a checkpoint counts on, and whether it is still what was written.

The folder checkpoint/<step>/ has files of its own, and a manifest. That also names the files of the run that grow, logs
and replay, with how much of them counts: bytes that never change afterwards, so that an older checkpoint stays good.
"""

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pacer.errors import PacerError, option
from pacer.runs.codec import decode
from pacer.runs.files import load_json, numbered, opened, save_json
from pacer.runs.formats import RESUMABLE

LOGS = ("progress.csv", "timings.csv", "evaluations.csv")
REPLAY = "replay"
MANIFEST = "manifest.json"
CHUNK = 1 << 20
_PLAIN = re.compile(r"\w[\w.-]*")
_OURS = re.compile(rf"({'|'.join(map(re.escape, LOGS))})|{REPLAY}/[0-9]+-[0-9]+\.bin")


class Extent(NamedTuple):
    """So many first bytes of a file, and their CRC-32."""

    size: int = 0
    checksum: int = 0


NOTHING = Extent()


class Manifest(NamedTuple):
    step: int
    files: dict[str, Extent]
    """Of the checkpoint's own folder."""
    grown: dict[str, Extent]
    """Of the run's folder."""
    facts: dict[str, Any]
    """Under which the run went."""


class Found(NamedTuple):
    """The checkpoint to go on from, and what was wrong with others, or with the logs."""

    folder: Path
    manifest: Manifest
    damaged_logs: list[str]
    skipped: list[str]


class Damaged(PacerError):
    """A checkpoint that cannot be used, because something is not what was written."""


def measure(path: Path, size: int, known: Extent = NOTHING) -> Extent:
    """The first `size` bytes of a file, or as many as it has, going on from those that are known."""
    checksum, left = known.checksum, size - known.size
    buffer = memoryview(bytearray(min(CHUNK, max(left, 0))))
    with opened(path) as file:
        file.seek(known.size)
        while left > 0 and (count := file.readinto(buffer[:left])):
            checksum, left = zlib.crc32(buffer[:count], checksum), left - count
    return Extent(size - left, checksum)


def write_manifest(folder: Path, step: int, grown: Mapping[str, Extent], facts: Mapping[str, Any]) -> None:
    """Seal the checkpoint in `folder`, whose own files are all written."""
    files = {path.name: measure(path, path.stat().st_size) for path in sorted(folder.iterdir())}
    content = json.loads(json.dumps({"step": step, "files": files, "grown": grown, "facts": facts}))
    save_json(folder / MANIFEST, {**content, "seal": _seal(content)})


def read_manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        content = load_json(path)
        found = content.pop("format")
        manifest = _parsed(content, path) if found >= RESUMABLE else None
    except PacerError as error:
        raise Damaged(str(error)) from error
    if manifest is None:
        raise PacerError(
            f"{folder} was written by an older version of pacer, which alone can go on from it. The run's logs and "
            f"agents can be used; to train anew, name another folder with {option('run-dir')}"
        )
    if str(manifest.step) != folder.name:
        raise PacerError(f"{folder} is the checkpoint of step {manifest.step} under another name: rename or remove it")
    return manifest


def _parsed(content: dict[str, Any], path: Path) -> Manifest:
    if content.pop("seal", None) != _seal(content) or content.keys() != {"step", "files", "grown", "facts"}:
        raise Damaged(f"{path} is not what was written")
    return Manifest(
        decode(content["step"], int, f"{path}: step"),
        _extents(content["files"], f"{path}: files", _PLAIN),
        _extents(content["grown"], f"{path}: grown", _OURS),
        decode(content["facts"], dict, f"{path}: facts"),
    )


def find(run: Path) -> Found | None:
    """The newest checkpoint that is whole with all it counts on; or the newest that lacks nothing but logs.

    None if there are no checkpoints; refused if none is good.
    """
    problems: list[str] = []
    usable: list[Found] = []
    for step in reversed(numbered(run / "checkpoint")):
        folder = run / "checkpoint" / str(step)
        try:
            manifest = read_manifest(folder)
            _check_replay(run, manifest.grown)
            _check(folder, manifest.files)
        except Damaged as error:
            problems.append(f"checkpoint {step} cannot be used: {error}")
            continue
        logs = [name for name in LOGS if name in manifest.grown and not _good(run / name, manifest.grown[name])]
        usable.append(Found(folder, manifest, logs, list(problems)))
        if not logs:
            break
        problems.append(f"{', '.join(logs)} is not what the run wrote until step {step}")
    if not problems and not usable:
        return None
    if not usable:
        raise PacerError(
            f"{run} cannot be resumed: {'; '.join(problems)}. The run's agents are another matter and still there; "
            f"put back what was there, or train anew in another folder with {option('run-dir')}"
        )
    return next((found for found in usable if not found.damaged_logs), usable[0])


def _check_replay(run: Path, grown: Mapping[str, Extent]) -> None:
    replay = {name: extent for name, extent in grown.items() if name not in LOGS}
    if replay and not (run / REPLAY).exists():
        raise PacerError(f"{run} kept no replay: its run cannot be extended")
    _check(run, replay)


def _check(folder: Path, extents: Mapping[str, Extent]) -> None:
    if odd := [name for name, extent in extents.items() if not _good(folder / name, extent)]:
        raise Damaged(f"{', '.join(map(str, (folder / name for name in odd[:3])))} is not what was written")


def _good(path: Path, extent: Extent) -> bool:
    try:
        return measure(path, extent.size) == extent
    except OSError:
        return False


def _extents(given: Any, where: str, names: re.Pattern[str]) -> dict[str, Extent]:
    extents = {
        decode(name, str, where): Extent(*decode(extent, tuple[int, int], where))
        for name, extent in decode(given, dict, where).items()
    }
    if odd := [name for name, extent in extents.items() if not names.fullmatch(name) or extent.size < 0]:
        raise Damaged(f"{where} names {', '.join(odd[:3])}, which is no file of a checkpoint")
    return extents


def _seal(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def superfluous(steps: Iterable[int], every: int, strict: bool) -> list[int]:
    """Checkpoints that need not be kept: all but the newest and the one before it that its schedule asked for.

    A stop takes a checkpoint that an undisturbed run does not have. Such a one is kept only as long as there is no
    other before the newest, or not at all (`strict`), so that both runs leave the same.
    """
    older = sorted(steps, reverse=True)[1:]
    regular = [step for step in older if step % every == 0]
    kept = regular[:1] if regular or strict else older[:1]
    return [step for step in older if step not in kept]
