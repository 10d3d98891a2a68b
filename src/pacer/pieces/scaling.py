"""How the networks see the world: observations centred, in units of their deviation, clipped; rewards in a unit."""

from typing import Any, NamedTuple

from pacer.pieces.types import Array

CLIP = 5.0


class Scaling(NamedTuple):
    """What the networks see: clip((obs - mean) / deviation), and utility / unit."""

    mean: Array
    inverse_deviation: Array
    unit: Array
    """What a learned return of 1 is worth: 1, or in recipes with `return_units` the usual size of a reward."""

    def normalise(self, obs: Array, xp: Any) -> Array:
        return xp.clip((obs - self.mean) * self.inverse_deviation, -CLIP, CLIP)
