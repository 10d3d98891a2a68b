"""One run, one folder: configuration, logs, agents, checkpoints. Knows files, not what is in them.

config.json  run.json  progress.csv  timings.csv  evaluations.csv
agent/  best/  snapshots/<step>/  checkpoint/<step>/  replay/  insight/  DONE
"""

import hashlib
import json
import math
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pacer.errors import PacerError
from pacer.runs import lock
from pacer.runs.codec import decode
from pacer.runs.files import load_json, save_json, sync

LOGS = ("progress.csv", "timings.csv", "evaluations.csv")
CHOICES_OF_LATER = {"wrappers": [], "source": "", "start_from": ""}  # which a run of before did not have


class RunFolder:
    """A locked run folder. Opening it changes nothing in it; `begin` does."""

    def __init__(
        self, path: Path, settings: Mapping[str, Any], steps: int, exact: bool, facts: Mapping[str, Any]
    ) -> None:
        """`settings` decide the outcome; `facts` (processor, backend, versions) its last bits.

        `exact` says whether the run repeats its bits at all.
        """
        self.path = path
        self._settings = settings
        self._exact, self._facts = exact, facts
        self._lock = lock.take(path)
        try:
            _check_free_or_same(path, settings, steps)
        except BaseException:
            self.close()  # an error that is kept somewhere must not keep the lock
            raise

    def begin(self, log_sizes: Mapping[str, int]) -> list[str]:
        """The run goes on here: what was logged after its checkpoint is dropped.

        Returns the facts that are others than at its checkpoint: a run that has any is not bit-exact.
        """
        save_json(self.path / "config.json", {"config": self._settings})
        (self.path / "DONE").unlink(missing_ok=True)
        shutil.rmtree(self.path / "insight", ignore_errors=True)  # which was about an agent that was the last
        before = self._known() if self.checkpoints() else {}
        now = json.loads(json.dumps({name: fact for name, fact in self._facts.items() if name in before}))
        changed = _differences({name: before[name] for name in now}, now)
        exact = self._exact and before.get("bit_exact", True) and not changed
        self.describe(status="running", bit_exact=exact, **self._facts)
        for log in LOGS:
            path = self.path / log
            if log_sizes.get(log, 0) < _size(path):
                os.truncate(path, log_sizes.get(log, 0))
        self._drop_older_checkpoints()  # a crash may have left one
        return changed

    def finished(self, steps: int) -> bool:
        done = self.path / "DONE"
        return done.exists() and decode(load_json(done).get("steps"), int, str(done)) >= steps

    def finish(self, steps: int) -> None:
        self.describe(status="finished")
        save_json(self.path / "DONE", {"steps": steps})

    def describe(self, **facts: Any) -> None:
        """Facts about the run that do not decide its outcome."""
        self.check()
        save_json(self.path / "run.json", {**self._known(), **facts})

    def _known(self) -> dict[str, Any]:
        path = self.path / "run.json"
        return load_json(path) if path.exists() else {}

    def append(self, log: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Rows at the end of a log, with a header if it is the first. The columns stay those of the first row."""
        self.check()
        path = self.path / log
        with path.open("a+", encoding="utf-8", newline="") as file:
            file.seek(0)
            columns = [name for name in file.readline().rstrip("\n").split(",") if name]
            file.seek(0, os.SEEK_END)
            for row in rows:
                if not columns:
                    columns = list(row)
                    file.write(",".join(columns) + "\n")
                file.write(",".join(_text(row.get(name, math.nan)) for name in columns) + "\n")

    def log_sizes(self) -> dict[str, int]:
        return {log: _size(self.path / log) for log in LOGS}

    def checkpoints(self) -> list[Path]:
        """Complete checkpoints, newest first."""
        folder = self.path / "checkpoint"
        found = [p for p in folder.iterdir() if p.name.isdigit()] if folder.exists() else []
        return sorted(found, key=lambda p: int(p.name), reverse=True)

    def new_checkpoint(self) -> Path:
        folder = self.path / "checkpoint" / ".writing"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def commit_checkpoint(self, temporary: Path, step: int) -> None:
        """Make a written checkpoint count, in one rename, and drop the older ones."""
        for log in LOGS:
            if (self.path / log).exists():
                sync(self.path / log)
        save_json(temporary / "manifest.json", {"files": _digests(temporary), "logs": self.log_sizes()})
        sync(temporary)
        final = self.path / "checkpoint" / str(step)
        temporary.rename(final)
        sync(final.parent)
        self._drop_older_checkpoints()

    def _drop_older_checkpoints(self) -> None:
        for older in self.checkpoints()[1:]:
            shutil.rmtree(older)

    def check(self) -> None:
        """Before anything is written: that nobody else writes here."""
        self._lock.check()

    def close(self) -> None:
        self._lock.close()


def load_settings(path: Path) -> dict[str, Any]:
    """The settings of the run in `path`, as plain JSON values."""
    file = path / "config.json"
    if not file.exists():
        raise PacerError(f"{path} is not a run folder: it has no config.json")
    settings: dict[str, Any] = decode(load_json(file).get("config"), Mapping[str, Any], f"config in {file}")
    return {**CHOICES_OF_LATER, **settings}


def verify_checkpoint(folder: Path) -> dict[str, int]:
    """The sizes that the logs had when a checkpoint was taken; one whose files are not those written is refused."""
    manifest = load_json(folder / "manifest.json")
    expected = decode(manifest.get("files"), dict, f"{folder}/manifest.json: files")
    logs = decode(manifest.get("logs"), dict, f"{folder}/manifest.json: logs")
    found = _digests(folder)
    if odd := sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)):
        raise PacerError(
            f"checkpoint {folder} is damaged: {', '.join(odd)} is not what was written. The run's agents are another "
            "matter and still there; to train anew, remove the checkpoint or name another folder with --run-dir"
        )
    return {name: decode(size, int, f"{folder}/manifest.json: {name}") for name, size in logs.items()}


def _check_free_or_same(path: Path, settings: Mapping[str, Any], steps: int) -> None:
    """An empty folder, the same run, or the same with more steps."""
    if not (path / "config.json").exists():
        if leftovers := sorted(p.name for p in path.iterdir() if not p.name.startswith(".")):
            raise PacerError(
                f"{path} is not empty and holds no run ({', '.join(leftovers[:3])}): name another folder with --run-dir"
            )
        return
    known = load_settings(path)
    known_steps = decode(known.get("steps"), int, f"steps in {path / 'config.json'}")
    if steps < known_steps:
        raise PacerError(
            f"{path} holds a run of {known_steps} steps, more than the {steps} asked for: "
            "ask for at least as many, or name another folder with --run-dir"
        )
    wanted = json.loads(json.dumps({**settings, "steps": known_steps}, default=repr))
    if changed := _differences(known, wanted):
        raise PacerError(
            f"{path} holds a run of another configuration; it differs in {'; '.join(changed)}. "
            "Name another folder with --run-dir"
        )


def _differences(old: Any, new: Any, where: str = "") -> list[str]:
    """Every value that is not the same, with its dotted name."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        return [d for k in keys for d in _differences(old.get(k), new.get(k), f"{where}.{k}".lstrip("."))]
    return [] if old == new else [f"{where} ({old} there, {new} here)"]


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(p for p in folder.iterdir() if p.name != "manifest.json")
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)
