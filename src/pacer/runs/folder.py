"""One run, one folder: configuration, logs, policies, checkpoints. Knows files, not what is in them.

config.json  run.json  progress.csv  timings.csv  evaluations.csv
agent/  best/  snapshots/<step>/  checkpoint/<step>/  replay.bin  DONE
"""

import fcntl
import hashlib
import json
import os
import platform
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from pacer.config import Config
from pacer.errors import PacerError
from pacer.runs.codec import decode, encode
from pacer.runs.files import load_json, save_json, sync

LOGS = ("progress.csv", "timings.csv", "evaluations.csv")


class RunFolder:
    """A locked run folder. Opening it changes nothing in it; `begin` does."""

    def __init__(self, path: Path, config: Config, bit_exact: bool) -> None:
        self.path = path
        self.config = config
        self._bit_exact = bit_exact
        self._lock = _lock(path)
        try:
            _check_free_or_same(path, config)
        except BaseException:
            self.close()  # an error that is kept somewhere must not keep the lock
            raise

    def begin(self, log_sizes: Mapping[str, int]) -> None:
        """The run goes on here: what was logged after its checkpoint is dropped."""
        save_json(self.path / "config.json", {"config": encode(self.config)})
        (self.path / "DONE").unlink(missing_ok=True)
        before, now = self._facts(), _versions()
        same = before.get("bit_exact", True) and all(before.get(name, fact) == fact for name, fact in now.items())
        self.describe(status="running", bit_exact=self._bit_exact and same, **now)
        for log in LOGS:
            path = self.path / log
            if log_sizes.get(log, 0) < _size(path):
                os.truncate(path, log_sizes.get(log, 0))
        self._drop_older_checkpoints()  # a crash may have left one

    def finished(self, steps: int) -> bool:
        done = self.path / "DONE"
        return done.exists() and decode(load_json(done).get("steps"), int, str(done)) >= steps

    def finish(self, steps: int) -> None:
        self.describe(status="finished")
        save_json(self.path / "DONE", {"steps": steps})

    def describe(self, **facts: Any) -> None:
        """Facts about the run that do not decide its outcome."""
        save_json(self.path / "run.json", {**self._facts(), **facts})

    def _facts(self) -> dict[str, Any]:
        path = self.path / "run.json"
        return load_json(path) if path.exists() else {}

    def append(self, log: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Rows at the end of a log, with a header if it is the first. The columns stay those of the first row."""
        path = self.path / log
        with path.open("a", encoding="utf-8", newline="") as file:
            for row in rows:
                if file.tell() == 0:
                    file.write(",".join(row) + "\n")
                file.write(",".join(_text(value) for value in row.values()) + "\n")

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
        save_json(temporary / "manifest.json", {"files": _digests(temporary)})
        sync(temporary)
        final = self.path / "checkpoint" / str(step)
        temporary.rename(final)
        sync(final.parent)
        self._drop_older_checkpoints()

    def _drop_older_checkpoints(self) -> None:
        for older in self.checkpoints()[1:]:
            shutil.rmtree(older)

    def close(self) -> None:
        self._lock.close()


def load_config(path: Path) -> Config:
    """The configuration of the run in `path`."""
    file = path / "config.json"
    if not file.exists():
        raise PacerError(f"{path} is not a run folder: it has no config.json")
    config: Config = decode(load_json(file).get("config"), Config, "config")
    return config


def verify_checkpoint(folder: Path) -> None:
    """Refuse a checkpoint whose files are not those that were written."""
    expected = decode(load_json(folder / "manifest.json").get("files"), dict, f"{folder}/manifest.json: files")
    found = _digests(folder)
    if odd := sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)):
        raise PacerError(
            f"checkpoint {folder} is damaged: {', '.join(odd)} is not what was written. The run's policies are another "
            "matter and still there; to train anew, remove the checkpoint or name another folder with --run-dir"
        )


def _lock(path: Path) -> TextIO:
    try:
        path.mkdir(parents=True, exist_ok=True)
        file = (path / ".lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise PacerError(f"the run folder {path} cannot be written: {error}. Name another with --run-dir") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip()
        file.close()
        raise PacerError(f"{path} is in use by another run ({holder}): wait, or name another folder") from None
    file.truncate(0)
    file.write(f"process {os.getpid()} on {platform.node()}")
    file.flush()
    return file


def _check_free_or_same(path: Path, config: Config) -> None:
    """An empty folder, the same run, or the same with more steps."""
    if not (path / "config.json").exists():
        if leftovers := sorted(p.name for p in path.iterdir() if not p.name.startswith(".")):
            raise PacerError(
                f"{path} is not empty and holds no run ({', '.join(leftovers[:3])}): name another folder with --run-dir"
            )
        return
    known = load_config(path)
    if config.steps < known.steps:
        raise PacerError(
            f"{path} holds a run of {known.steps} steps, more than the {config.steps} asked for: "
            "ask for at least as many, or name another folder with --run-dir"
        )
    wanted = json.loads(json.dumps(encode(replace(config, steps=known.steps)), default=repr))
    changed = sorted(_differences(encode(known), wanted))
    if changed:
        raise PacerError(
            f"{path} holds a run of another configuration; it differs in {'; '.join(changed)}. "
            "Name another folder with --run-dir"
        )


def _differences(old: Any, new: Any, where: str = "") -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        return [d for k in keys for d in _differences(old.get(k), new.get(k), f"{where}.{k}".lstrip("."))]
    return [] if old == new else [f"{where} ({old} there, {new} here)"]


def _versions() -> dict[str, Any]:
    packages = ("pacer-rl", "jax", "jaxlib", "optax", "numpy", "gymnasium", "mujoco")
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return {"versions": {p: version(p) for p in packages}, "python": platform.python_version(), "machine": machine}


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(p for p in folder.iterdir() if p.name != "manifest.json")
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)
