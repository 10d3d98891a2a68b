"""Distances between samples of actions, safe in value and gradient where two of them coincide."""

import jax.numpy as jnp

from pacer.pieces.types import Array

NEGLIGIBLE = 1e-12  # below this, a squared distance and the slope of its root count as zero


def by_dimension(actions: Array) -> Array:
    """(N, S, A) to (A, S, N): pairs of actions become loops over whole rows."""
    return actions.transpose(2, 1, 0)


def squared_distances(x: Array, y: Array) -> Array:
    """|x_i - y_j|^2 as (S, j, i), from (A, S, N) each.

    Direct differences: the Gram form loses the repulsion of nearly equal actions.
    """
    return sum((p[:, None, :] - q[:, :, None]) ** 2 for p, q in zip(x, y, strict=True))


def spread_of(actions: Array) -> Array:
    """Deviation of actions (N, S, A) in a state, relative to uniform ones: 0 for a point.

    The root of a mean over the states, so that few samples per state do not make it look smaller.
    """
    return safe_root(3 * actions.var(0, ddof=1).mean()) if len(actions) > 1 else jnp.zeros(())


def safe_root(x: Array) -> Array:
    """Square root with value and slope zero where x is negligible."""
    positive = x > NEGLIGIBLE
    return jnp.where(positive, jnp.sqrt(jnp.where(positive, x, 1.0)), 0.0)


def power(squares: Array, exponent: float) -> Array:
    """Distances to a power, from squared distances."""
    return squares if exponent == 2 else safe_root(squares) if exponent == 1 else safe_root(squares) ** exponent


def root(x: Array, exponent: float) -> Array:
    """The inverse of taking a power: exact and safe for exponents 1 and 2."""
    if exponent == 1:
        return x
    positive = x > NEGLIGIBLE
    return safe_root(x) if exponent == 2 else jnp.where(positive, jnp.where(positive, x, 1.0) ** (1 / exponent), 0.0)
