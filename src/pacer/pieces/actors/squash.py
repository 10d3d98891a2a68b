"""Log-densities of normals and of tanh, shared by the actors that have a density."""

import jax
import jax.numpy as jnp

from pacer.pieces.types import Array

LOG_DEVIATION = (-20.0, 2.0)


def normal_log_prob(noise: Array) -> Array:
    """Log-density of a standard normal, summed over the last axis."""
    return -0.5 * (noise**2 + jnp.log(2 * jnp.pi)).sum(-1)


def squash_log_det(raw: Array) -> Array:
    """Log-determinant of tanh at `raw`, in the form that does not cancel for large |raw|."""
    return (2 * (jnp.log(2.0) - raw - jax.nn.softplus(-2 * raw))).sum(-1)
