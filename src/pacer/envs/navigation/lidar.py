"""The lidar of Safety Gym: how near the nearest object of each group is, in bins around the car.

Plain loops, because for the dozen objects of a task they take half the time of NumPy's calls.
"""

from collections.abc import Sequence
from math import pi


class Lidar:
    """Rings of bins around the car, one ring per group of objects; bin 0 begins at the car's own x axis."""

    def __init__(self, seen_by: Sequence[int], rings: int, bins: int, reach: float) -> None:
        """`seen_by` tells for each object the ring that sees it."""
        self.rings = rings
        self.bins = bins
        self._reach = reach
        self._bins_per_radian = bins / (2.0 * pi)
        self._first_bins = [ring * bins for ring in seen_by]

    def read(self, distances: Sequence[float], bearings: Sequence[float]) -> list[float]:
        """The readings of all rings, one after the other; bearings count from the car's x axis.

        An object is seen by its own bin in full and, for smoothness, by the next bin in proportion to how far
        into its bin it is, and by the previous one in proportion to the rest.
        """
        bins, reach, bins_per_radian = self.bins, self._reach, self._bins_per_radian
        readings = [0.0] * (self.rings * bins)
        for first, distance, bearing in zip(self._first_bins, distances, bearings, strict=True):
            if distance >= reach:
                continue
            strength = (reach - distance) / reach
            position = bearing * bins_per_radian % bins
            own = int(position)
            onward = (position - own) * strength
            # The remainders also cover a bearing just below zero, whose position rounds to the number of bins.
            here, after, before = first + own % bins, first + (own + 1) % bins, first + (own - 1) % bins
            if strength > readings[here]:
                readings[here] = strength
            if onward > readings[after]:
                readings[after] = onward
            if strength - onward > readings[before]:
                readings[before] = strength - onward
        return readings
