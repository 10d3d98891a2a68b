"""How the networks see the world: observations centred, in units of their deviation, clipped; rewards in a unit."""

from typing import Any, NamedTuple

import numpy as np

from pacer.pieces.types import Array

CLIP = 5.0


class Scaling(NamedTuple):
    """What the networks see: (obs - mean) / deviation, within the limit, and utility / unit."""

    mean: Array
    inverse_deviation: Array
    unit: Array
    """What a learned return of 1 is worth: 1, or in recipes with `return_units` the usual size of a reward."""
    limit: Array = np.array(CLIP, np.float32)

    def normalise(self, obs: Array, xp: Any) -> Array:
        return xp.clip((obs - self.mean) * self.inverse_deviation, -self.limit, self.limit)

    def raw(self) -> "Scaling":
        """The same for rewards, with observations as they are."""
        zeros = np.zeros_like(self.mean)
        return Scaling(zeros, zeros + 1, self.unit, np.array(np.finfo(np.float32).max))
