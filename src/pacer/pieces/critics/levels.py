"""Quantile levels and the quantile Huber loss, shared by every critic that learns quantiles."""

import math
from functools import partial

import jax
import jax.numpy as jnp

from pacer.pieces.types import Array, Returns

UNROLLED = 8  # atoms of the target that one turn of the loss's loop takes
SMALLEST_SPREAD = 1e-6  # of a goal's atoms, where all of them agree


def draw_levels(key: Array, shape: tuple[int, ...], floor: float) -> tuple[Array, Array]:
    """Random midpoints of [0, 1] and their masses; masses are normalised `uniform + floor` (DSAC)."""
    mass = jax.random.uniform(key, shape) + floor
    mass = mass / mass.sum(-1, keepdims=True)
    return midpoints(mass), mass


def even_levels(count: int) -> tuple[Array, Array]:
    """Midpoints and masses of `count` equal parts."""
    return (jnp.arange(count) + 0.5) / count, jnp.full(count, 1 / count)


def midpoints(mass: Array) -> Array:
    return jnp.cumsum(mass, -1) - mass / 2


def cosines_of(level: Array, count: int) -> Array:
    """cos(pi i level) for i = 1 to `count`, on a new last axis.

    By the cosine of a sum, from those of a few small multiples and of a few large ones: the functions themselves are
    what costs.
    """
    small = math.isqrt(count - 1) + 1
    fine = jnp.pi * level[..., None, None] * jnp.arange(1, small + 1)
    coarse = jnp.pi * level[..., None, None] * (small * jnp.arange(-(-count // small)))[:, None]
    cosines = jnp.cos(coarse) * jnp.cos(fine) - jnp.sin(coarse) * jnp.sin(fine)
    return cosines.reshape(*level.shape, -1)[..., :count]


def quantile_loss(predicted: Returns, goal: Returns, threshold: float) -> Array:
    """Sum over the members of the loss that moves their quantiles (M, B, K) towards the goal's atoms (B, K')."""
    members = predicted.value.shape[0]
    return members * quantile_huber(predicted.value, predicted.level, goal.value, goal.mass, threshold)


def centred_quantile_loss(predicted: Returns, goal: Returns, threshold: float) -> Array:
    """Squared error for the mean, and the quantile loss for how the quantiles lie around it.

    Neither quantiles nor what the Huber loss makes of them keep the mean of rare rewards from backup to backup.
    The threshold is relative to how far the goal's atoms lie apart, so that the shape is learned alike in all units;
    both parts slope as the error does, so that neither drowns the other.
    """
    mean = predicted.mean()
    centred = predicted.value + jax.lax.stop_gradient(mean)[..., None] - mean[..., None]
    apart = jnp.sqrt((goal.mass * (goal.value - goal.mean()[..., None]) ** 2).sum(-1)).mean()
    unit = jax.lax.stop_gradient(jnp.maximum(apart, SMALLEST_SPREAD))
    scaled = predicted._replace(value=centred / unit), goal._replace(value=goal.value / unit)
    shape = unit**2 * threshold * quantile_loss(*scaled, threshold)
    return shape + 0.5 * ((mean - goal.mean()) ** 2).mean(-1).sum()


@partial(jax.custom_vjp, nondiff_argnums=(4,))
def quantile_huber(value: Array, level: Array, target: Array, mass: Array, threshold: float) -> Array:
    """Mean over states and predicted levels of the mass-weighted quantile Huber loss.

    value (..., B, K) at level (K,) or (B, K); target (B, K') with mass (K',) or (B, K').
    The asymmetry is the predicted level's, as quantile regression needs it (the paper prints the target's).
    """
    return _loss_and_slope(value, level, target, mass, threshold)[0]


def _loss_and_slope(value: Array, level: Array, target: Array, mass: Array, threshold: float) -> tuple[Array, Array]:
    """One pass for loss and gradient, where autodiff would store arrays of (B, K, K') and read them again.

    Each turn of the loop takes a few of the target's atoms, a single vectorised pass over (B, K). Without the loop XLA
    makes the target anew for every atom, and goes over all atoms once more to sum the loss.
    """
    missing = -target.shape[-1] % UNROLLED
    target, mass = (jnp.pad(part, [(0, 0)] * (part.ndim - 1) + [(0, missing)]) for part in (target, mass))

    def add(turn: Array, sums: tuple[Array, Array]) -> tuple[Array, Array]:
        loss, slope = sums
        for atom in range(UNROLLED):
            goal, share = (jax.lax.dynamic_index_in_dim(p, turn * UNROLLED + atom, -1) for p in (target, mass))
            error = goal - value
            clipped = jnp.clip(error, -threshold, threshold)
            pull = jnp.where(error < 0, 1 - level, level) * share * clipped
            loss += pull * (error - 0.5 * clipped)
            slope -= pull
        return loss, slope

    zeros = jnp.zeros_like(value)
    loss, slope = jax.lax.fori_loop(0, target.shape[-1] // UNROLLED, add, (zeros, zeros))
    scale = 1.0 / (threshold * value.size)
    return loss.sum() * scale, slope * scale


def _forward(
    value: Array, level: Array, target: Array, mass: Array, threshold: float
) -> tuple[Array, tuple[Array, Array, Array, Array]]:
    loss, slope = _loss_and_slope(value, level, target, mass, threshold)
    return loss, (slope, jnp.zeros_like(level), jnp.zeros_like(target), jnp.zeros_like(mass))


def _backward(
    threshold: float, residuals: tuple[Array, Array, Array, Array], cotangent: Array
) -> tuple[Array, Array, Array, Array]:
    slope, level, target, mass = residuals  # only the prediction learns from this loss
    return cotangent * slope, level, target, mass


quantile_huber.defvjp(_forward, _backward)
