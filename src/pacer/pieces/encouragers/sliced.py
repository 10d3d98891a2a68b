"""Sliced Wasserstein distance: transport along random lines, where sorting solves it (PACER_S, ours)."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from pacer.pieces.encouragers.base import SampleEncourager
from pacer.pieces.encouragers.distances import root
from pacer.pieces.encouragers.reference import Reference, Uniform
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Actions, Array


@dataclass(frozen=True)
class Sliced(SampleEncourager):
    """Distance between sorted projections, over random directions."""

    samples: int = 32
    states: int = 16
    p: float = 2.0
    directions: int = 32
    reference: Reference = Uniform()

    def __post_init__(self) -> None:
        check_positive(self, "directions")
        if self.p < 1:
            raise ValueError(f"p is {self.p}: expected 1 or more, below which distances are none")

    def penalty(self, actions: Actions, key: Array) -> Array:
        reference_key, direction_key = jax.random.split(key)
        action = actions.action
        lines = jax.random.normal(direction_key, (action.shape[-1], self.directions))
        lines = lines / jnp.linalg.norm(lines, axis=0)
        return sliced_distance(action, self.reference.draw(reference_key, action.shape), lines, self.p)


def sliced_distance(x: Array, y: Array, lines: Array, p: float) -> Array:
    """Distance (S,) between x and y, both (N, S, A), along the columns of `lines` (A, L)."""
    gaps = jnp.sort(x @ lines, axis=0) - jnp.sort(y @ lines, axis=0)
    return root((jnp.abs(gaps) ** p).mean((0, 2)), p)
