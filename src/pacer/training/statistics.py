"""Running mean and deviation of observations and of rewards, folded in on the host in float64."""

from typing import NamedTuple

import numpy as np

from pacer.pieces.scaling import Scaling
from pacer.pieces.types import Array

SMALLEST_DEVIATION = 1e-4  # a constant dimension stays at zero instead of becoming noise


class Moments(NamedTuple):
    """Rows seen, mean and summed squared deviation per dimension, in float64."""

    seen: Array
    mean: Array
    squares: Array

    @staticmethod
    def empty(size: int) -> "Moments":
        return Moments(np.zeros(()), np.zeros(size), np.zeros(size))

    @staticmethod
    def of(mean: Array, deviation: Array, seen: int) -> "Moments":
        """Moments of so many rows that have this mean and deviation."""
        return Moments(
            np.array(float(seen)), np.asarray(mean, np.float64), seen * np.asarray(deviation, np.float64) ** 2
        )

    def fold(self, obs: Array) -> "Moments":
        """These moments with the rows of `obs` added (Chan's parallel form)."""
        obs = np.asarray(obs, np.float64)
        mean, squares = obs.mean(0), ((obs - obs.mean(0)) ** 2).sum(0)
        count = self.seen + len(obs)
        gap = mean - self.mean
        return Moments(
            count,
            self.mean + gap * len(obs) / count,
            self.squares + squares + gap**2 * self.seen * len(obs) / count,
        )

    def deviation(self) -> Array:
        """Standard deviation per dimension, in float64."""
        return np.sqrt(self.squares / max(self.seen, 1))

    def size(self) -> Array:
        """Root of the mean square per dimension, in float64."""
        return np.sqrt(self.mean**2 + self.squares / max(self.seen, 1))

    def scaling(self, unit: float = 1.0) -> Scaling:
        """Mean and inverse deviation in float32, the identity before anything was seen; and the unit of returns."""
        deviation = np.maximum(self.deviation(), SMALLEST_DEVIATION) if self.seen else np.ones_like(self.mean)
        return Scaling(self.mean.astype(np.float32), (1.0 / deviation).astype(np.float32), np.array(unit, np.float32))
