"""Whether anything changed in some folders, seen from the files' sizes and times."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

HEAVY = ("checkpoint", "replay", "agent", "best", "snapshots")  # folders of a run that a report does not read


def changes(roots: Sequence[Path], every: float, own: Sequence[Path] = ()) -> Iterator[None]:
    """Yields at once, and then after every change but those of `own` files and folders; never ends by itself."""
    own = [path.resolve() for path in own]
    before = None
    while True:
        now = fingerprint(roots, own)
        if now != before:
            before = now
            yield
        time.sleep(every)


def fingerprint(roots: Sequence[Path], own: Sequence[Path] = ()) -> tuple[tuple[str, int, int], ...]:
    """Size and time of every file that a report may read; what it writes is its own."""
    seen = []
    for root in roots:
        for folder, below, files in os.walk(root):
            here = Path(folder).resolve()
            below[:] = [name for name in below if name not in HEAVY and here / name not in own]
            seen.append((folder, 0, 0))
            others = (name for name in files if not name.startswith(".") and here / name not in own)
            seen += [_mark(os.path.join(folder, name)) for name in others]
    return tuple(sorted(seen))


def _mark(path: str) -> tuple[str, int, int]:
    try:
        status = os.stat(path)
    except OSError:  # it went away in between
        return path, 0, 0
    return path, status.st_size, status.st_mtime_ns
