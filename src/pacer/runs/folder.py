"""One run, one folder: configuration, logs, agents, checkpoints. Knows files, not what is in them.

config.json  run.json  progress.csv  timings.csv  evaluations.csv
agent/  best/  snapshots/<step>/  checkpoint/<step>/  replay/  insight/  DONE
"""

import json
import math
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pacer.errors import PacerError, option, shown
from pacer.runs import lock
from pacer.runs.checkpoints import (
    LOGS,
    NOTHING,
    REPLAY,
    Extent,
    Found,
    find,
    measure,
    read_manifest,
    superfluous,
    write_manifest,
)
from pacer.runs.codec import decode
from pacer.runs.files import clean, load_json, no_link, numbered, save_json, sync, writing

LINE = 200  # bytes of a row of a log, about
FOLDERS = ("agent", "best", "snapshots/*", "insight")


class RunFolder:
    """A locked run folder. Opening it changes nothing in it; `begin` does."""

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, Any],
        steps: int,
        exact: bool,
        facts: Mapping[str, Any],
        checkpoint_every: int = 1,
        watching: Sequence[str] = (),
    ) -> None:
        """`settings` decide the outcome; `facts` (processor, backend, versions, source) its last bits.

        `exact` says whether the run repeats its bits at all, `checkpoint_every` when it keeps a checkpoint anyway, and
        `watching` which settings, by dotted names, decide no more than what is written down of the run.
        """
        self.path = path
        self._settings, self._watching = settings, watching
        self._exact, self._facts = exact, json.loads(json.dumps(facts))
        self._every = checkpoint_every
        self._grown: dict[str, Extent] = {}
        self._new = [folder for folder in (path, *path.parents) if not folder.exists()]
        if path.is_dir():
            self._check_ours(steps)  # before anything is written
        self._lock = lock.take(path)
        try:
            self._check_ours(steps)
        except BaseException:
            self.close()  # an error that is kept somewhere must not keep the lock
            raise

    def _check_ours(self, steps: int) -> None:
        there, here = (str(facts.get("python", "")).rpartition(".")[0] for facts in (self._known(), self._facts))
        # Another Python compiles the same code to other bytes: that is told as what it is, when the run goes on.
        compiled_anew = ("source",) if there and there != here else ()
        _check_free_or_same(self.path, self._settings, steps, (*self._watching, *compiled_anew))

    def find_checkpoint(self) -> Found | None:
        """Where to go on from."""
        return find(self.path)

    def begin(self, found: Found | None = None) -> list[str]:
        """The run goes on from a checkpoint, or from nothing: what came after it is dropped.

        Returns what the user should know: a run that goes on under other facts, or without its logs, is not bit-exact.
        """
        self._new = []
        warnings = [f"{why}. The run goes on from step {found.manifest.step}" for why in found.skipped] if found else []
        before = found.manifest.facts if found else {}
        changed = self._changed(before) if found else []
        save_json(self.path / "config.json", {"config": self._settings})
        (self.path / "DONE").unlink(missing_ok=True)
        shutil.rmtree(self.path / "insight", ignore_errors=True)  # which was about an agent that was the last
        if changed:
            warnings.append(f"the run is no longer bit-exact: it goes on with another {'; '.join(changed)}")
        logs = found.damaged_logs if found else []
        if logs:
            warnings.append(
                f"{', '.join(logs)} is not what the run wrote: put aside under the name of .damaged, and begun anew. "
                "The run is no longer bit-exact"
            )
        exact = self._exact and before.get("bit_exact", True) and not changed and not logs
        self.describe(**{"status": "running", "bit_exact": exact, **self._facts})
        for step in self._steps():
            if found is None or step > found.manifest.step:
                shutil.rmtree(self._checkpoint(step))
        self._cut(found.manifest.grown if found else {}, logs)
        self._prune()
        for folder in (self.path, *(p for pattern in FOLDERS for p in self.path.glob(pattern))):
            clean(folder)
        return warnings

    def _changed(self, facts: Mapping[str, Any]) -> list[str]:
        """What is no longer as it was when the run had these facts, and decides bits of what it leaves."""
        watched = _settings_that_differ(self.path, self._settings)
        return _differences({name: facts.get(name) for name in self._facts}, self._facts) + [
            told for name, told in watched.items() if name in self._watching
        ]

    def finished(self, steps: int) -> bool:
        done = self.path / "DONE"
        return done.exists() and decode(load_json(done).get("steps"), int, str(done)) >= steps

    def finish(self, steps: int) -> None:
        self._prune(strict=True)
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
        rows = list(rows)
        with writing(path, LINE * len(rows)), open(path, "a+", encoding="utf-8", newline="", opener=no_link) as file:
            file.seek(0)
            columns = [name for name in file.readline().rstrip("\n").split(",") if name]
            file.seek(0, os.SEEK_END)
            for row in rows:
                if not columns:
                    columns = list(row)
                    file.write(",".join(columns) + "\n")
                file.write(",".join(_text(row.get(name, math.nan)) for name in columns) + "\n")

    def checkpoints(self) -> list[Path]:
        """All that there are, newest first."""
        return [self._checkpoint(step) for step in reversed(self._steps())]

    def new_checkpoint(self) -> Path:
        folder = self.path / "checkpoint" / ".writing"
        shutil.rmtree(folder, ignore_errors=True)
        with writing(folder):
            folder.mkdir(parents=True)
        return folder

    def commit_checkpoint(self, temporary: Path, step: int, replay: Mapping[str, int]) -> None:
        """Make a written checkpoint count, in one rename; drop what none needs any more.

        One of the same step makes way for it; a crash right then leaves the one before, if there is one.
        `replay` are the files in the replay's folder that it needs, and how many bytes of them.
        """
        sizes = {log: (self.path / log).stat().st_size for log in LOGS if (self.path / log).exists()}
        for log in sizes:
            sync(self.path / log)
        sizes |= {f"{REPLAY}/{name}": size for name, size in replay.items()}
        grown = {name: measure(self.path / name, size, self._grown.get(name, NOTHING)) for name, size in sizes.items()}
        known = self._known()
        write_manifest(temporary, step, grown, {name: known.get(name) for name in ("bit_exact", *self._facts)})
        sync(temporary)
        replaced = self.path / "checkpoint" / ".replaced"
        with writing(self._checkpoint(step)):
            shutil.rmtree(replaced, ignore_errors=True)
            if self._checkpoint(step).exists():
                self._checkpoint(step).rename(replaced)
            temporary.rename(self._checkpoint(step))
        sync(self.path / "checkpoint")
        shutil.rmtree(replaced, ignore_errors=True)
        self._grown = grown
        self._prune()

    def _steps(self) -> list[int]:
        return numbered(self.path / "checkpoint")

    def _checkpoint(self, step: int) -> Path:
        return self.path / "checkpoint" / str(step)

    def _cut(self, grown: Mapping[str, Extent], damaged: list[str]) -> None:
        """Bring the files that grow to where a checkpoint had them."""
        for log in damaged:
            if (self.path / log).exists():
                os.replace(self.path / log, self.path / f"{log}.damaged")
        self._grown = {name: extent for name, extent in grown.items() if name not in damaged}
        for name in {*LOGS, *self._grown}:
            size = self._grown.get(name, NOTHING).size
            if (self.path / name).exists() and (self.path / name).stat().st_size > size:
                os.truncate(self.path / name, size)

    def _prune(self, strict: bool = False) -> None:
        """Drop checkpoints that need not be kept, and the parts of the replay that none of the others needs."""
        for step in superfluous(self._steps(), self._every, strict):
            shutil.rmtree(self._checkpoint(step))
        needed: set[str] = set()
        for folder in self.checkpoints():
            try:
                needed |= read_manifest(folder).grown.keys()
            except PacerError:  # an older one, which nobody could go back to
                shutil.rmtree(folder)
        for path in (self.path / REPLAY).glob("*-*.bin"):
            if f"{REPLAY}/{path.name}" not in needed:
                path.unlink()

    def check(self) -> None:
        """Before anything is written: that nobody else writes here."""
        self._lock.check()

    def close(self) -> None:
        """Give the folder back; one that was made for a run that never began is taken away again."""
        if self._new:
            (self.path / lock.NAME).unlink(missing_ok=True)
        self._lock.close()
        with suppress(OSError):  # somebody else may have put something there
            for folder in self._new:
                folder.rmdir()


def load_settings(path: Path) -> dict[str, Any]:
    """The settings of the run in `path`, as plain JSON values."""
    file = path / "config.json"
    if not file.exists():
        raise PacerError(f"{path} is not a run folder: it has no config.json")
    settings: dict[str, Any] = decode(load_json(file).get("config"), Mapping[str, Any], f"config in {file}")
    return settings


def _check_free_or_same(path: Path, settings: Mapping[str, Any], steps: int, watching: Sequence[str]) -> None:
    """An empty folder, the same run, or the same with more steps; and no link that leads out of it."""
    for folder, below, files in os.walk(path):
        if links := [name for name in (*below, *files) if os.path.islink(os.path.join(folder, name))]:
            raise PacerError(
                f"{os.path.join(folder, links[0])} is a symbolic link, and a run writes nothing outside its folder: "
                f"remove it, or name another folder with {option('run-dir')}"
            )
    if not (path / "config.json").exists():
        if leftovers := sorted(p.name for p in path.iterdir() if not p.name.startswith(".")):
            raise PacerError(
                f"{path} is not empty and holds no run ({', '.join(leftovers[:3])}): "
                f"name another folder with {option('run-dir')}"
            )
        return
    known = load_settings(path)
    known_steps = decode(known.get("steps"), int, f"steps in {path / 'config.json'}")
    if steps < known_steps:
        raise PacerError(
            f"{path} holds a run of {known_steps} steps, more than the {steps} asked for: "
            f"ask for at least as many, or name another folder with {option('run-dir')}"
        )
    differing = _settings_that_differ(path, settings)
    unsaid = () if known.get("source") else ("source",)  # older runs of an environment by its id did not tell its code
    if changed := [told for name, told in differing.items() if name not in ("steps", *watching, *unsaid)]:
        edited = " (the environment's code was edited since)" if "source" in differing else ""
        raise PacerError(
            f"{path} holds a run of another configuration; it differs in {'; '.join(changed)}{edited}. "
            f"Name another folder with {option('run-dir')}; {option('start-from')} takes along what was learned"
        )


def _settings_that_differ(path: Path, settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings that are not those of the run in `path`, by their dotted names, in words."""
    wanted = json.loads(json.dumps(settings, default=repr))
    return {told.partition(" ")[0]: told for told in _differences(load_settings(path), wanted)}


def _differences(old: Any, new: Any, where: str = "") -> list[str]:
    """Every value that is not the same, with its dotted name."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        return [d for k in keys for d in _differences(old.get(k), new.get(k), f"{where}.{k}".lstrip("."))]
    return [] if old == new else [f"{where} ({_plain(old)} there, {_plain(new)} here)"]


def _plain(value: Any) -> str:
    return shown(value)[1:-1] if isinstance(value, str) else shown(value)


def _text(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)
