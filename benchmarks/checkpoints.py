"""Seconds to save and to verify a full replay of Humanoid, a million steps: `python benchmarks/checkpoints.py`.

Needs about 3.5 GB of memory, and 1.7 GB where temporary files go (TMPDIR says where). Times of the clock, and of the
processor, which tell more where others work too.
"""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from pacer.pieces.types import Space
from pacer.runs.checkpoints import find
from pacer.runs.folder import RunFolder
from pacer.training.replay import Replay

STEPS, BETWEEN = 1_000_000, 5_000


def timed(what: str, call: Callable[[], Any]) -> Any:
    start, busy = time.perf_counter(), time.process_time()
    answer = call()
    print(
        f"{what}: {time.perf_counter() - start:.2f} s, of the processor {time.process_time() - busy:.2f} s", flush=True
    )
    return answer


def main(path: Path) -> None:
    space = Space(376, 17)
    replay = Replay(space, STEPS)
    replay._rows[:] = np.random.default_rng(0).normal(size=replay._rows.shape[1]).astype(np.float32)
    folder = RunFolder(path, {"steps": 1}, 1, True, {})
    folder.begin()

    def save(rows: int) -> None:
        kept = replay.save(path / "replay", np.array([rows]), np.array([True]))
        folder.commit_checkpoint(folder.new_checkpoint(), rows, kept)

    timed(f"save {STEPS:,} steps at once", lambda: save(STEPS - BETWEEN))
    timed(f"save {BETWEEN:,} more", lambda: save(STEPS))
    size = sum(file.stat().st_size for file in (path / "replay").iterdir())
    found = timed(f"verify {size / 1e9:.2f} GB", lambda: find(path))
    assert found is not None
    timed("read them", lambda: Replay(space, STEPS).load(path / "replay", np.array([STEPS]), np.array([True])))
    folder.close()


if __name__ == "__main__":
    with TemporaryDirectory() as name:
        main(Path(name) / "run")
