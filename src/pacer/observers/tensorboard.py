"""TensorBoard's event files, written at once: a run that is killed loses no figure that its checkpoint has."""

import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pacer.observers.tracking import Figures, Told, Tracker, required

EVALUATION = "eval/mean_reward"


class TensorBoard(Tracker):
    """Writes a run's figures into `folder`; `tensorboard --logdir runs` shows them."""

    def __init__(self, folder: str | Path, every: int = 1_000) -> None:
        super().__init__(every)
        self._folder = Path(folder)
        self._files = required("tensorboardX.event_file_writer", "TensorBoard")
        self._events = required("tensorboardX.proto.event_pb2", "TensorBoard")
        self._file: Any = None

    def open(self, step: int) -> Told:
        """A new file, which has TensorBoard forget what older ones hold of later steps."""
        known = any(s == step and tag == EVALUATION for s, tag, _ in figures_in(self._folder))
        self._folder.mkdir(parents=True, exist_ok=True)
        older = len(list(self._folder.iterdir()))  # in the name, which else has no more than the second
        self._file = self._files.EventsWriter(str(self._folder / "events"), f".{older:06}")
        session = self._events.SessionLog(status=self._events.SessionLog.START)
        self._file.write_event(self._events.Event(wall_time=time.time(), step=step + 1, session_log=session))
        self._file.flush()
        return Told(step, step if known else -1)

    def write(self, step: int, figures: Figures) -> None:
        event = self._events.Event(wall_time=time.time(), step=step)
        for tag, number in figures.items():
            event.summary.value.add(tag=tag, simple_value=number)
        self._file.write_event(event)
        self._file.flush()

    def close(self) -> None:
        if self._file:
            self._file.close()


def figures_in(folder: Path) -> list[tuple[int, str, float]]:
    """Step, tag and number of all figures in a folder of event files, without those that were taken back."""
    figures: list[tuple[int, str, float]] = []
    for event in (event for file in sorted(folder.glob("events.out.*")) for event in _events(file)):
        if event.HasField("session_log"):
            figures = [figure for figure in figures if figure[0] < event.step]
        figures += [(event.step, value.tag, value.simple_value) for value in event.summary.value]
    return figures


def _events(file: Path) -> Iterator[Any]:
    """The records of a file: length, its checksum, content, its checksum. A process may have died in the last."""
    kind = required("tensorboardX.proto.event_pb2", "TensorBoard").Event
    content, at = file.read_bytes(), 0
    while at + 12 <= len(content):
        (length,) = struct.unpack_from("<Q", content, at)
        if at + 16 + length > len(content):
            return
        yield kind.FromString(content[at + 12 : at + 12 + length])
        at += 16 + length
