"""Replay memory in NumPy: one row per step, next observations never stored twice.

A row is (observation, action, reward, kind). The observation after a step is the next row's; an episode's last
observation gets a row of its own, of kind LAST, that is never sampled. The newest row is such a row as long as its
episode goes on: the next step completes it.

Every world has a lane, a ring of rows and a file of its own. How many rows of it count is part of the run's state and
handed in: what lies beyond them is a block that is not complete, and may be overwritten.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pacer.errors import PacerError
from pacer.pieces.types import Space, Transition
from pacer.runs.files import sync
from pacer.training.play import Step
from pacer.training.world import Vector

GOES_ON, TERMINATED, TRUNCATED, LAST = 0.0, 1.0, 2.0, 3.0

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
        # Pages of a zeroed array cost no memory before they are written.
        self._rows = np.zeros((lanes * self._size, space.observation + space.action + 2), np.float32)

    def add(self, lane: int, row: Count, step: Step) -> Count:
        """Write a step at this row of its lane; the row of the next."""
        kind = TERMINATED if step.terminated else TRUNCATED if step.truncated else GOES_ON
        self._put(lane, row, step.obs, step.action, step.reward, kind)
        self._put(lane, row + 1, step.next_obs, 0.0, 0.0, LAST)
        return row + 1 + step.ended

    def close_episode(self, lane: int, row: Count) -> Count:
        """End the episode that goes on before this row: its last step counts as truncated."""
        self._rows[self._at(lane, row - 1), -1] = TRUNCATED
        self._saved[lane] = min(self._saved[lane], row - 1)
        return row + 1

    def sample(self, rows: Rows, rng: np.random.Generator, updates: int, batch: int, discount: float) -> Transition:
        """`updates` independent batches, drawn uniformly from the steps of all lanes: (updates, batch, ...)."""
        obs, action = self.space
        lane, row = self._draw(rows, rng, updates * batch)
        drawn = self._rows[self._at(lane, row)].reshape(updates, batch, -1)
        going_on = np.float32(discount) * (drawn[..., -1] != TERMINATED)
        return Transition(
            obs=drawn[..., :obs],
            action=drawn[..., obs : obs + action],
            reward=drawn[..., -2],
            next_obs=self._rows[self._at(lane, row + 1), :obs].reshape(updates, batch, obs),
            discount=going_on.astype(np.float32),
        )

    def tail(self, lane: int, row: Count, steps: int) -> tuple[Vector, Vector]:
        """Observations (steps + 1) and actions (steps) of the episode that goes on before this row."""
        rows = self._rows[self._at(lane, np.arange(row - steps, row + 1))]
        obs, action = self.space
        return rows[:, :obs], rows[:-1, obs : obs + action]

    def save(self, folder: Path, rows: Rows, going_on: NDArray[np.bool_]) -> None:
        """Append what is not on disk yet, and the current observation where an episode goes on."""
        folder.mkdir(exist_ok=True)
        for lane, path in enumerate(self._files(folder)):
            with path.open("r+b" if path.exists() else "w+b") as file:
                file.seek(self._saved[lane] * self._rows[0].nbytes)
                new = np.arange(self._saved[lane], rows[lane] + going_on[lane])
                file.write(self._rows[self._at(lane, new)].tobytes())
                file.flush()
                os.fsync(file.fileno())  # the checkpoint that counts these rows comes after them
        sync(folder)
        self._saved = rows.copy()

    def load(self, folder: Path, rows: Rows, going_on: NDArray[np.bool_]) -> None:
        """Read back the newest rows of files of which the first `rows` are valid."""
        obs, width = self.space.observation, self._rows.shape[1]
        for lane, path in enumerate(self._files(folder)):
            first, end = max(0, rows[lane] - self.capacity), rows[lane] + going_on[lane]
            try:
                read = np.fromfile(path, np.float32, (end - first) * width, offset=first * width * 4)
            except OSError as error:
                raise PacerError(f"{path} cannot be read: {error}. The run cannot be resumed") from error
            if read.size != (end - first) * width:
                raise PacerError(
                    f"{path} is shorter than its checkpoint says ({end} rows of {4 * width} bytes expected): "
                    "the run cannot be resumed; start it in another folder"
                )
            self._rows[self._at(lane, np.arange(first, end))] = read.reshape(-1, width)
            if going_on[lane]:  # a later, interrupted write may have completed this row
                self._put(lane, rows[lane], read.reshape(-1, width)[-1, :obs], 0.0, 0.0, LAST)
        self._saved = rows.copy()

    def _files(self, folder: Path) -> list[Path]:
        return [folder / f"{lane}.bin" for lane in range(self.lanes)]

    def _draw(self, rows: Rows, rng: np.random.Generator, count: int) -> tuple[Rows, Rows]:
        """Lane and row of steps drawn uniformly; rows that are no steps are drawn again."""
        starts = np.maximum(0, rows - self.capacity)
        ends = np.cumsum(rows - starts)
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
