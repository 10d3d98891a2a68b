"""Runs contestants, each in its library's own interpreter, and keeps what came of it with the date and the machine."""

import json
import platform
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from queue import Queue
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

FOLDER = Path(__file__).parent
PEERS = FOLDER.parent / ".venv-peers" / "bin" / "python"  # made by `make bench`
RESULTS = FOLDER / "results"
COMPILING = 500  # steps after the first update that do not count


def run(name: str, env: str, **options: Any) -> list[dict[str, Any]]:
    """The lines that a contestant tells."""
    python = sys.executable if name.startswith("pacer:") else str(PEERS)
    flags = [item for key, value in options.items() for item in (f"--{key.replace('_', '-')}", str(value))]
    command = [python, str(FOLDER / "contestant.py"), name, env, *flags]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def pace(name: str, env: str, steps: int, core: int) -> float:
    """Steps per second of process time, after compilation."""
    lines = run(name, env, steps=1_000 + COMPILING + steps, core=core)
    first = next(line for line in lines if line["step"] >= 1_000 + COMPILING)
    return (lines[-1]["step"] - first["step"]) / (lines[-1]["seconds"] - first["seconds"])


def on_cores(cores: Sequence[int], jobs: Sequence[T], work: Callable[[T, int], R]) -> list[R]:
    """`work(job, core)` of every job, one at a time on each core."""
    free: Queue[int] = Queue()
    for core in cores:
        free.put(core)

    def one(job: T) -> R:
        core = free.get()
        try:
            return work(job, core)
        finally:
            free.put(core)

    with ThreadPoolExecutor(len(cores)) as pool:
        return list(pool.map(one, jobs))


def machine() -> str:
    """Its class, not its name."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {len(models) or '?'} cores"


def keep(name: str, text: str, whole: bool = True) -> None:
    """Print a table and, where it is whole, write it to results/."""
    text = f"{text}\n\n{date.today()}, {machine()}\n"
    print(text)
    if whole:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
