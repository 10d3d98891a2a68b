"""Replay memory in NumPy: one row per step, next observations never stored twice.

A row is (observation, action, reward, kind). The observation after a step is the next row's; an episode's last
observation gets a row of its own, of kind LAST, that is never sampled. The newest row is such a row as long as its
episode goes on: the next step completes it.

Every world has a lane, a ring of rows. How many rows of it count is part of the run's state and handed in: what lies
beyond them is a block that is not complete, and may be overwritten.

On disk a lane is a series of files, each of the same number of rows; the oldest are dropped by whoever keeps the
checkpoints. Rows are appended, and what a checkpoint counts of a file never changes: all of a row, or of the newest, as
long as its episode goes on, the observation, with which a row begins.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacer.errors import PacerError
from pacer.pieces.types import Space, Transition
from pacer.runs.files import no_link, opened, sync, writing
from pacer.training.play import Step
from pacer.training.world import Vector

GOES_ON, TERMINATED, TRUNCATED, LAST = 0.0, 1.0, 2.0, 3.0
FILES = 8  # that hold a lane's capacity

Count = int | np.int64
Rows = NDArray[np.int64]
"""A number of rows per lane."""


class Replay:
    """The newest rows of experience, `capacity` of them shared out among the lanes."""

    def __init__(self, space: Space, capacity: int, lanes: int = 1, block: int = 1) -> None:
        if capacity < 2 * lanes:  # a single row may be an episode's last, and then there is nothing to draw
            raise PacerError(f"the replay's capacity is {capacity}: expected at least 2 for each environment ({lanes})")
        self.space = space
        self.lanes = lanes
        self.capacity = capacity // lanes
        """Rows of a lane that can be drawn."""
        self._saved = np.zeros(lanes, np.int64)
        # A block that fails has overwritten nothing that counts: a step takes two rows at most.
        self._size = self.capacity + 1 + 2 * -(-block // lanes)
        self._file_rows = -(-self.capacity // FILES)
        # Pages of a zeroed array cost no memory before they are written.
        self._rows = np.zeros((lanes * self._size, space.observation + space.action + 2), np.float32)

    def add(self, lane: int, row: Count, step: Step) -> Count:
        """Write a step at this row of its lane; the row of the next."""
        kind = TERMINATED if step.terminated else TRUNCATED if step.truncated else GOES_ON
        self._put(lane, row, step.obs, step.action, step.reward, kind)
        self._put(lane, row + 1, step.next_obs, 0.0, 0.0, LAST)
        return row + 1 + step.ended

    def sample(
        self, rows: Rows, rng: np.random.Generator, updates: int, batch: int, discount: float, steps: int = 1
    ) -> Transition:
        """`updates` independent batches, drawn uniformly from the steps of all lanes: (updates, batch, ...), or with
        those that follow each of them (updates, steps, batch, ...)."""
        lane, row = (part.reshape(updates, batch) for part in self._draw(rows, rng, updates * batch))
        return self._steps(lane, row, discount) if steps == 1 else self._stretches(lane, row, discount, steps)

    def most_paid(self, rows: Rows, discount: float) -> Transition:
        """The one step, of all that can be drawn, whose reward is the largest in size: (1, ...)."""
        lane = np.repeat(np.arange(self.lanes), rows - self._first(rows))
        row = np.concatenate([np.arange(self._first(end), end) for end in rows])
        most = np.abs(self._rows[self._at(lane, row), -2]).argmax()
        return self._steps(lane[[most]], row[[most]], discount)

    def tail(self, lane: int, row: Count, steps: int) -> tuple[Vector, Vector, Vector]:
        """Observations (steps + 1), actions and rewards (steps) of the episode that goes on before this row."""
        rows = self._rows[self._at(lane, np.arange(row - steps, row + 1))]
        obs, action = self.space
        return rows[:, :obs], rows[:-1, obs : obs + action], rows[:-1, -2]

    def crowded(self, rows: Rows) -> bool:
        """Whether rows that are not on disk yet would soon be overwritten: saving now makes room."""
        return bool((rows - self._saved > self.capacity).any())

    def save(self, folder: Path, rows: Rows, going_on: NDArray[np.bool_]) -> dict[str, int]:
        """Append what is not on disk yet. Returns the files of the rows that can be drawn, and how many bytes count."""
        with writing(folder):
            folder.mkdir(exist_ok=True)
        for lane in range(self.lanes):
            for name, first, last in self._parts(lane, self._saved[lane], rows[lane] + going_on[lane]):
                view = self._view(lane, first, last, going_on[lane] and last > rows[lane])
                with writing(folder / name, len(view)), open(folder / name, "r+b", opener=no_link) as file:
                    file.seek(first % self._file_rows * self._rows[0].nbytes)
                    file.write(view)
                    file.flush()
                    os.fsync(file.fileno())  # the checkpoint that counts these rows comes after them
        sync(folder)
        self._saved = rows.copy()
        return {
            name: self._bytes(first % self._file_rows + last - first, going_on[lane] and last > rows[lane])
            for lane in range(self.lanes)
            for name, first, last in self._parts(lane, self._first(rows[lane]), rows[lane] + going_on[lane])
        }

    def load(self, folder: Path, rows: Rows, going_on: NDArray[np.bool_]) -> None:
        """Read back the newest rows of files whose first `rows` count."""
        for lane in range(self.lanes):
            for name, first, last in self._parts(lane, self._first(rows[lane]), rows[lane] + going_on[lane]):
                view = self._view(lane, first, last, going_on[lane] and last > rows[lane])
                with opened(folder / name) as file:
                    file.seek(first % self._file_rows * self._rows[0].nbytes)
                    if file.readinto(view) != len(view):
                        raise PacerError(f"{folder / name} is shorter than its checkpoint says: it cannot be resumed")
            if going_on[lane]:
                newest = self._rows[self._at(lane, rows[lane])]
                newest[self.space.observation :] = 0.0
                newest[-1] = LAST
        self._saved = rows.copy()

    def _steps(self, lane: Rows, row: Rows, discount: float) -> Transition:
        obs, action = self.space
        found = self._rows[self._at(lane, row)]
        going_on = np.float32(discount) * (found[..., -1] != TERMINATED)
        return Transition(
            obs=found[..., :obs],
            action=found[..., obs : obs + action],
            reward=found[..., -2],
            next_obs=self._rows[self._at(lane, row + 1), :obs],
            discount=going_on.astype(np.float32),
        )

    def _stretches(self, lane: Rows, row: Rows, discount: float, steps: int) -> Transition:
        """Steps that follow each other; the last of an episode again, with a discount of 1, where it has no more."""
        path, counts = [row], [np.ones(row.shape, bool)]
        for _ in range(steps - 1):
            here, there = (self._rows[self._at(lane, path[-1] + ahead), -1] for ahead in (0, 1))
            counts.append(counts[-1] & (here == GOES_ON) & (there != LAST))
            path.append(path[-1] + counts[-1])
        found = self._steps(
            np.broadcast_to(lane[:, None], (len(lane), steps, lane.shape[1])), np.stack(path, 1), discount
        )
        return found._replace(discount=np.where(np.stack(counts, 1), found.discount, np.float32(1)))

    def _first(self, rows: Any) -> Any:
        """The oldest row that can be drawn."""
        return np.maximum(0, rows - self.capacity)

    def _bytes(self, rows: Count, last_is_open: Any) -> int:
        """Of so many rows; of an open one the observation alone."""
        row = self._rows[0].nbytes
        return int(rows * row - (row - 4 * self.space.observation if last_is_open else 0))

    def _view(self, lane: int, first: int, last: int, last_is_open: Any) -> memoryview:
        """The bytes of a part in memory; of an open row the observation alone."""
        start = self._at(lane, first)
        return self._rows[start : start + last - first].data.cast("B")[: self._bytes(last - first, last_is_open)]

    def _parts(self, lane: int, first: Count, end: Count) -> Iterator[tuple[str, int, int]]:
        """The rows from `first` to before `end` in parts that lie together both in a file and here: name, and rows."""
        row, stop = int(first), int(end)
        while row < stop:
            number = row // self._file_rows
            last = min(stop, (number + 1) * self._file_rows, (row // self._size + 1) * self._size)
            yield f"{lane}-{number}.bin", row, last
            row = last

    def _draw(self, rows: Rows, rng: np.random.Generator, count: int) -> tuple[Rows, Rows]:
        """Lane and row of steps drawn uniformly; rows that are no steps are drawn again."""
        ends: Rows = np.cumsum(rows - self._first(rows))
        drawn = rng.integers(0, ends[-1], count)
        while True:
            lane = np.searchsorted(ends, drawn, side="right")
            row = rows[lane] - (ends[lane] - drawn)
            last = self._rows[self._at(lane, row), -1] == LAST
            if not last.any():
                return lane, row
            drawn[last] = rng.integers(0, ends[-1], int(last.sum()))

    def _put(self, lane: int, row: Count, obs: Vector, action: Vector | float, reward: float, kind: float) -> None:
        target = self._rows[self._at(lane, row)]
        target[: self.space.observation] = obs
        target[self.space.observation : -2] = action
        target[-2:] = reward, kind

    def _at(self, lane: Any, row: Any) -> Any:
        return lane * self._size + row % self._size
