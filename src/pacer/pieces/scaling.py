"""How the networks see an observation: centred, in units of its deviation, clipped."""

from typing import Any, NamedTuple

from pacer.pieces.types import Array

CLIP = 5.0


class Scaling(NamedTuple):
    """What the networks see: clip((obs - mean) / deviation)."""

    mean: Array
    inverse_deviation: Array

    def normalise(self, obs: Array, xp: Any) -> Array:
        return xp.clip((obs - self.mean) * self.inverse_deviation, -CLIP, CLIP)
