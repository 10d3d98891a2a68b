"""Keeps what tables are made of: the logs and the configuration of runs, without agents, checkpoints and replay.

python results/keep.py runs results/runs/NAME
"""

import shutil
import sys
from pathlib import Path

KEPT = ("config.json", "run.json", "DONE", "evaluations.csv", "progress.csv", "timings.csv")


def keep(runs: Path, to: Path) -> int:
    """Copy the light files of every finished run below `runs`; how many there were."""
    finished = sorted(path.parent for path in runs.rglob("DONE"))
    for run in finished:
        folder = to / run.relative_to(runs)
        folder.mkdir(parents=True, exist_ok=True)
        for name in KEPT:
            shutil.copyfile(run / name, folder / name)
    return len(finished)


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    print(f"{keep(source, target)} runs kept in {target}")
