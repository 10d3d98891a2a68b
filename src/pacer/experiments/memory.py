"""How much memory there is, and how much a process has; nothing where the system does not tell."""

import re
from pathlib import Path

GIGABYTE = 1 << 30


def available() -> int | None:
    """Bytes that new processes can have."""
    return _kilobytes(Path("/proc/meminfo"), "MemAvailable")


def peak(pid: int) -> int | None:
    """The most bytes that a process has had at once."""
    return _kilobytes(Path(f"/proc/{pid}/status"), "VmHWM")


def _kilobytes(file: Path, name: str) -> int | None:
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB", file.read_text(encoding="ascii"), re.M)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None
