"""Replay memory in NumPy: one row per step, next observations never stored twice.

A row is (observation, action, reward, kind). The observation after a step is the next row's; an episode's last
observation gets a row of its own, of kind LAST, that is never sampled. The newest row is such a row as long as its
episode goes on: the next step completes it.
"""

import os
from pathlib import Path

import numpy as np

from pacer.errors import PacerError
from pacer.pieces.types import Array, Space, Transition

GOES_ON, TERMINATED, TRUNCATED, LAST = 0.0, 1.0, 2.0, 3.0


class Replay:
    """The newest `capacity` rows of experience."""

    def __init__(self, space: Space, capacity: int) -> None:
        if capacity < 2:  # a single row may be an episode's last, and then there is nothing to draw
            raise PacerError(f"the replay's capacity is {capacity}: expected at least 2")
        self.space = space
        self.capacity = capacity
        self.written = 0
        """Complete rows ever written; the row after them holds the current observation if an episode goes on."""
        self.open = False
        """Whether an episode goes on."""
        self.saved = 0
        """Rows that are on disk."""
        self._size = capacity + 1
        # Pages of a zeroed array cost no memory before they are written.
        self._rows = np.zeros((self._size, space.observation + space.action + 2), np.float32)

    @property
    def steps(self) -> int:
        """Transitions that can be drawn."""
        return int((self._kinds(self._readable()) != LAST).sum())

    def append(self, block: Transition, kinds: Array) -> None:
        """Consecutive steps; `kinds` says of each whether the episode goes on, terminated or was truncated."""
        for row in range(len(kinds)):
            self._put(self.written, block.obs[row], block.action[row], block.reward[row], kinds[row])
            self.written += 1
            self._put(self.written, block.next_obs[row], 0.0, 0.0, LAST)
            self.open = bool(kinds[row] == GOES_ON)
            if not self.open:
                self.written += 1

    def close_episode(self) -> None:
        """End the episode that goes on: its last step counts as truncated."""
        if self.open:
            self._rows[(self.written - 1) % self._size, -1] = TRUNCATED
            self.saved = min(self.saved, self.written - 1)
            self.written += 1
            self.open = False

    def sample(self, rng: np.random.Generator, updates: int, batch: int, discount: float) -> Transition:
        """`updates` independent batches, drawn uniformly from the steps: (updates, batch, ...)."""
        rows = self._readable()
        drawn = rng.integers(rows.start, rows.stop, updates * batch)
        while (last := self._kinds(drawn) == LAST).any():
            drawn[last] = rng.integers(rows.start, rows.stop, int(last.sum()))
        now = self._rows[drawn % self._size]
        next_obs = self._rows[(drawn + 1) % self._size, : self.space.observation]
        kinds = now[:, -1]
        parts = np.split(now, [self.space.observation, self.space.observation + self.space.action], axis=1)
        going_on = np.float32(discount) * (kinds != TERMINATED)
        flat = Transition(parts[0], parts[1], parts[2][:, 0], next_obs, going_on.astype(np.float32))
        return Transition(*(np.reshape(x, (updates, batch, *x.shape[1:])) for x in flat))

    def tail(self, steps: int) -> tuple[Array, Array]:
        """Observations (steps + 1) and actions (steps) of the episode that goes on."""
        rows = self._rows[np.arange(self.written - steps, self.written + 1) % self._size]
        obs, action = self.space.observation, self.space.action
        return rows[:, :obs], rows[:-1, obs : obs + action]

    def save(self, path: Path) -> None:
        """Append what is not on disk yet, the current observation included."""
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.seek(self.saved * self._rows[0].nbytes)
            rows = np.arange(self.saved, self.written + self.open)
            file.write(self._rows[rows % self._size].tobytes())
            file.flush()
            os.fsync(file.fileno())  # the checkpoint that counts these rows comes after them
        self.saved = self.written

    def load(self, path: Path, written: int, is_open: bool) -> None:
        """Read back the newest rows of a file whose first `written` rows are valid."""
        first = max(0, written + is_open - self._size)
        width = self._rows.shape[1]
        rows = np.fromfile(path, np.float32, (written + is_open - first) * width, offset=first * width * 4)
        if rows.size != (written + is_open - first) * width:
            raise PacerError(
                f"{path} is shorter than its checkpoint says ({written} rows of {4 * width} bytes expected): "
                "the run cannot be resumed; start it in another folder"
            )
        self._rows[np.arange(first, written + is_open) % self._size] = rows.reshape(-1, width)
        self.written = self.saved = written
        self.open = is_open
        if is_open:  # a later, interrupted write may have completed this row
            self._rows[written % self._size, self.space.observation :] = 0.0
            self._rows[written % self._size, -1] = LAST

    def _put(self, row: int, obs: Array, action: Array | float, reward: float, kind: float) -> None:
        target = self._rows[row % self._size]
        target[: self.space.observation] = obs
        target[self.space.observation : -2] = action
        target[-2:] = reward, kind

    def _readable(self) -> range:
        # The row after the written ones is taken: by the current observation, or by the oldest row's successor.
        return range(max(0, self.written + 1 - self._size), self.written)

    def _kinds(self, rows: Array | range) -> Array:
        return self._rows[np.asarray(rows) % self._size, -1]
