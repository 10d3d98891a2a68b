"""The direction in which the actor's action samples move: the policy gradient goes through them alone (SUVPG)."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

from pacer.pieces.actors.base import Actor
from pacer.pieces.encouragers.base import Nothing
from pacer.pieces.piece import Piece, name_of
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Actions, Array, Network

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Samples(NamedTuple):
    """Action samples of the actor: those that move, those that the critic values, statistics after both."""

    moved: Actions
    valued: Array
    stats: Any


class Improvement(Piece):
    @property
    @abstractmethod
    def actions(self) -> int:
        """Action samples per state."""

    @abstractmethod
    def samples(self, actor: Actor, network: Network, obs: Array, noise: Array, key: Array) -> Samples:
        """Samples for noise (actions, B, E), the valued ones without gradient."""

    @abstractmethod
    def direction(self, moved: Array, valued: Array, slope: Array) -> Array:
        """Where the moved actions go, from the slopes of the value at the valued ones."""


@dataclass(frozen=True)
class Ascent(Improvement):
    """Up the value: SUVPG, DPG and SAC's gradient are this line for different actors."""

    actions: int = 1

    def __post_init__(self) -> None:
        check_positive(self, "actions")

    def samples(self, actor: Actor, network: Network, obs: Array, noise: Array, key: Array) -> Samples:
        moved, stats = actor.sample(network, obs, noise, key, training=True)
        return Samples(moved, jax.lax.stop_gradient(moved.action), stats)

    def direction(self, moved: Array, valued: Array, slope: Array) -> Array:
        return slope


@dataclass(frozen=True)
class Stein(Improvement):
    """Along the Stein variational gradient: samples climb exp Q and repel each other (SQL).

    Half of the particles stand still and pull the other half, whose direction is then pushed into the actor.
    """

    actions: int = 16

    def __post_init__(self) -> None:
        if self.actions < 4 or self.actions % 2:
            raise ValueError(
                f"actions is {self.actions}: expected an even number, at least 4 (half of them stand still)"
            )

    def check(self, recipe: "Recipe") -> None:
        if not isinstance(recipe.encourager, Nothing):
            raise ValueError(
                f"Stein's particles repel each other by themselves and would ignore {name_of(recipe.encourager)}: "
                "use Nothing() and Fixed(0.0), or Ascent"
            )
        if not recipe.actor.has_noise:
            raise ValueError(
                f"Stein's particles are actions of one state, and those of {name_of(recipe.actor)} are all the same: "
                "use Ascent, or an actor that has noise"
            )

    def samples(self, actor: Actor, network: Network, obs: Array, noise: Array, key: Array) -> Samples:
        # Two calls: the gradient need not go back through the half that stands still.
        still, moving = jnp.split(noise, 2)
        moved, stats = actor.sample(network, obs, moving, key, training=True)
        return Samples(moved, jax.lax.stop_gradient(actor.push(network, obs, still)), stats)

    def direction(self, moved: Array, valued: Array, slope: Array) -> Array:
        inside = -2 * valued / (1 - valued**2 + 1e-6)  # slope of log(1 - a^2 + 1e-6), the density that tanh adds
        return stein_direction(valued, moved, slope + inside)


def stein_direction(still: Array, moved: Array, slope: Array) -> Array:
    """Direction (M, B, A) of the moved particles, from the still ones (N, B, A) and the slopes of their log-density."""
    gaps = still[:, None] - moved[None]  # (N, M, B, A)
    squares = (gaps**2).sum(-1)
    bandwidth = median_bandwidth(squares)
    kernel = jnp.exp(-squares / bandwidth)[..., None]
    attraction = kernel * slope[:, None]
    repulsion = -2 * gaps / bandwidth[..., None] * kernel
    return (attraction + repulsion).mean(0)


def median_bandwidth(squares: Array) -> Array:
    """Median of the squared distances (N, M, B) over log N, per state and at least 1e-3."""
    count = squares.shape[0] * squares.shape[1]
    flat = jnp.sort(squares.reshape(count, -1), axis=0)
    median = flat[count - 1 - count // 2]  # the (count // 2 + 1)-th largest, as in the authors' code
    return jnp.maximum(median / jnp.log(squares.shape[0]), 1e-3)
