"""A plan as a Slurm array job: every task is one run."""

import shlex
from collections.abc import Sequence
from pathlib import Path

SCRIPT = """\
#!/bin/bash
# {count} runs, one per task; submit with: sbatch {file}
# Tasks that end early are requeued or submitted again: finished runs are skipped, others go on from their checkpoint.
#SBATCH --job-name={name}
#SBATCH --array=0-{last}
#SBATCH --cpus-per-task=1
#SBATCH --mem=4G
#SBATCH --time={hours}:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --open-mode=append

# Where the runs' folder and `pacer` are found; exec, so that Slurm's signal reaches the run, which saves and stops.
cd "${{SLURM_SUBMIT_DIR:-.}}"
exec pacer bench {words} --job "$SLURM_ARRAY_TASK_ID"
"""


def write_array(file: Path, words: Sequence[str], seconds: Sequence[float]) -> None:
    """The script; its time limit is twice the longest estimate, in whole hours."""
    text = SCRIPT.format(
        count=len(seconds),
        file=file.name,
        name=f"pacer-{Path(words[0]).stem}",
        last=len(seconds) - 1,
        hours=1 + int(2 * max(seconds) / 3600),
        words=shlex.join(words),
    )
    file.write_text(text, encoding="utf-8")
