"""Weights & Biases: a run's figures in a project there, or offline (`WANDB_MODE=offline`) in files to be sent later."""

from pathlib import Path
from typing import Any
from uuid import uuid4

from pacer.observers.tracking import Figures, Told, Tracker, required
from pacer.runs.files import load_json, save_json


class WandB(Tracker):
    """Logs a run from `folder`, where its id and what was told are kept; `options` go to `wandb.init`."""

    def __init__(self, folder: str | Path, every: int = 1_000, project: str = "pacer", **options: Any) -> None:
        super().__init__(every)
        self._folder, self._options = Path(folder), {"project": project, **options}
        self._wandb = required("wandb", "Weights & Biases")
        self._id = uuid4().hex
        self._run: Any = None

    def open(self, step: int) -> Told:
        """A step that was told once stays told: a history there only grows."""
        self._folder.mkdir(parents=True, exist_ok=True)
        known = load_json(self._file) if self._file.exists() else {}
        self._id = known.get("id", self._id)
        # A run of its own, also where several go in one process.
        options = {"dir": str(self._folder), "id": self._id, "resume": "allow", "reinit": "create_new"}
        self._run = self._wandb.init(**options, **self._options)
        return Told(known.get("progress", -1), known.get("evaluated", -1))

    def write(self, step: int, figures: Figures) -> None:
        self._run.log(figures, step=step)
        save_json(self._file, {"id": self._id, "progress": self.told.progress, "evaluated": self.told.evaluated})

    def close(self) -> None:
        if self._run:
            self._run.finish()

    @property
    def _file(self) -> Path:
        return self._folder / "told.json"
