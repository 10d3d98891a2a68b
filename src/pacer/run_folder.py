"""One run, one folder: configuration, logs, policies, checkpoints. Knows files, not what is in them.

config.json  run.json  progress.csv  timings.csv  evaluations.csv
policy/  best/  snapshots/<step>/  checkpoint/<step>/  replay.bin  DONE
"""

import fcntl
import hashlib
import os
import platform
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from pacer.config import Config, decode, encode, load_json, save_json
from pacer.errors import PacerError

LOGS = ("progress.csv", "timings.csv", "evaluations.csv")


class RunFolder:
    """An opened and locked run folder."""

    def __init__(self, path: Path, config: Config, bit_exact: bool) -> None:
        self.path = path
        self._lock = _lock(path)
        known = self.config
        if known is None:
            leftovers = [p.name for p in path.iterdir() if p.name != ".lock"]
            if leftovers:
                raise PacerError(
                    f"{path} is not empty and holds no run ({', '.join(sorted(leftovers)[:3])}): name another folder"
                )
        else:
            _check_same(path, known, config)
        save_json(path / "config.json", {"config": encode(config)})
        self.describe(status="running", bit_exact=bit_exact, **_versions())

    @property
    def config(self) -> Config | None:
        return load_config(self.path) if (self.path / "config.json").exists() else None

    def finished(self, steps: int) -> bool:
        done = self.path / "DONE"
        return done.exists() and int(load_json(done)["steps"]) >= steps

    def finish(self, steps: int) -> None:
        self.describe(status="finished")
        save_json(self.path / "DONE", {"steps": steps})

    def describe(self, **facts: Any) -> None:
        """Facts about the run that do not decide its outcome."""
        path = self.path / "run.json"
        save_json(path, {**(load_json(path) if path.exists() else {}), **facts})

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

    def cut_logs(self, sizes: Mapping[str, int]) -> None:
        """Drop what was logged after a checkpoint."""
        for log in LOGS:
            path = self.path / log
            if sizes.get(log, 0) < _size(path):
                os.truncate(path, sizes.get(log, 0))

    def checkpoints(self) -> list[Path]:
        """Complete checkpoints, newest first."""
        folder = self.path / "checkpoint"
        found = [p for p in folder.iterdir() if p.name.isdigit()] if folder.exists() else []
        return sorted(found, key=lambda p: int(p.name), reverse=True)

    def commit_checkpoint(self, temporary: Path, step: int) -> None:
        """Make a written checkpoint count, in one rename, and drop the older ones."""
        save_json(temporary / "manifest.json", {"files": _digests(temporary)})
        for file in temporary.iterdir():
            _sync(file)
        final = self.path / "checkpoint" / str(step)
        if final.exists():
            shutil.rmtree(final)
        temporary.rename(final)
        _sync(final.parent)
        for older in self.checkpoints()[1:]:
            shutil.rmtree(older)

    def new_checkpoint(self) -> Path:
        folder = self.path / "checkpoint" / ".writing"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

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
    expected = load_json(folder / "manifest.json")["files"]
    if expected != _digests(folder):
        raise PacerError(f"checkpoint {folder} is damaged: a checksum differs. Remove it and start again")


def _lock(path: Path) -> TextIO:
    try:
        path.mkdir(parents=True, exist_ok=True)
        file = (path / ".lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise PacerError(f"the run folder {path} cannot be written: {error}. Name another with --run-dir") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.seek(0)
        raise PacerError(f"{path} is in use by another run ({file.read().strip()}): wait, or use another") from None
    file.truncate(0)
    file.write(f"process {os.getpid()} on {platform.node()}")
    file.flush()
    return file


def _check_same(path: Path, known: Config, config: Config) -> None:
    """The same run, or the same with more steps."""
    if config.steps < known.steps:
        raise PacerError(
            f"{path} holds a run of {known.steps} steps, more than the {config.steps} asked for: "
            "ask for at least as many, or name another folder with --run-dir"
        )
    changed = sorted(_differences(encode(known), encode(replace(config, steps=known.steps))))
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


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)
