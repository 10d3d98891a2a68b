"""Running mean and deviation of the observations, folded in on the host in float64."""

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
    def of(scaling: Scaling, seen: int) -> "Moments":
        """Moments of so many rows that give this scaling."""
        deviation = 1.0 / np.asarray(scaling.inverse_deviation, np.float64)
        return Moments(np.array(float(seen)), np.asarray(scaling.mean, np.float64), seen * deviation**2)

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

    def scaling(self) -> Scaling:
        """Mean and inverse deviation in float32; the identity before anything was seen."""
        if self.seen == 0:
            return Scaling(np.zeros(self.mean.shape, np.float32), np.ones(self.mean.shape, np.float32))
        deviation = np.maximum(np.sqrt(self.squares / self.seen), SMALLEST_DEVIATION)
        return Scaling(self.mean.astype(np.float32), (1.0 / deviation).astype(np.float32))
