"""Maximum mean discrepancy between the policy's actions and reference ones (PACER_M).

MMD^2 = mean k(x, x') + mean k(y, y') - 2 mean k(x, y) per state, then its root if asked for.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp

from pacer.pieces.encouragers.base import SampleEncourager
from pacer.pieces.encouragers.distances import NEGLIGIBLE, by_dimension, safe_root, squared_distances
from pacer.pieces.encouragers.reference import Reference, Uniform
from pacer.pieces.types import Actions, Array

Kernel = Literal["energy", "squared_energy", "gaussian"]


@dataclass(frozen=True)
class MMD(SampleEncourager):
    """Sample distance to the reference, small for diverse actions."""

    samples: int = 32
    states: int = 16
    kernel: Kernel = "energy"
    """energy: -|x - y|. squared_energy: -|x - y|^2, which sees the mean only. gaussian: exp(-|x - y|^2 / 2)."""
    reference: Reference = Uniform()
    root: bool = True
    """The distance itself (of all pairs, as in the paper), or its square without bias (of pairs of different samples).

    The pull of the square fades as it is met: with the root, a little more weight turns a point into the uniform and
    back. Pairs of a sample with itself are a part of all pairs that repels nothing: few samples would seem too wide.
    """

    def penalty(self, actions: Actions, key: Array) -> Array:
        action = actions.action
        squared = squared_mmd(action, self.reference.draw(key, action.shape), self.kernel, unbiased=not self.root)
        return safe_root(squared) if self.root else squared


@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def squared_mmd(x: Array, y: Array, kernel: Kernel, unbiased: bool = False) -> Array:
    """MMD^2 (S,) between x and y, both (N, S, A). Only x has a gradient: y is the reference."""
    return _forward(x, y, kernel, unbiased)[0]


def _forward(x: Array, y: Array, kernel: Kernel, unbiased: bool) -> tuple[Array, Array]:
    x, y = by_dimension(x), by_dimension(y)
    own, repulsion = _pairs(x, x, kernel)
    cross, attraction = _pairs(x, y, kernel)
    reference, _ = _pairs(y, y, kernel)
    if unbiased:  # without the pairs of a sample with itself, whose kernel is a constant
        count, itself = x.shape[2], 1.0 if kernel == "gaussian" else 0.0
        own, reference = ((count * mean - itself) / (count - 1) for mean in (own, reference))
        repulsion = repulsion * (count / (count - 1))
    gradient = 2 * (repulsion - attraction)
    return own + reference - 2 * cross, gradient.transpose(2, 1, 0)


def _backward(kernel: Kernel, unbiased: bool, gradient: Array, cotangent: Array) -> tuple[Array, Array]:
    return cotangent[:, None] * gradient, jnp.zeros_like(gradient)


squared_mmd.defvjp(_forward, _backward)


def _pairs(x: Array, y: Array, kernel: Kernel) -> tuple[Array, Array]:
    """Mean of k(x_i, y_j) over all pairs (S,), and its gradient with respect to x as first argument (A, S, N)."""
    value, slope = _kernel(squared_distances(x, y), kernel)
    # Computed once, here: otherwise XLA repeats all of the above inside each of the sums below.
    value, slope = jax.lax.optimization_barrier((value, slope))
    pairs = x.shape[2] * y.shape[2]
    gradient = x * slope.sum(1) - jnp.einsum("sji,asj->asi", slope, y)
    return value.sum((1, 2)) / pairs, (2 / pairs) * gradient


def _kernel(squares: Array, kernel: Kernel) -> tuple[Array, Array]:
    """k as a function of the squared distance, and its derivative."""
    if kernel == "energy":
        distant = squares > NEGLIGIBLE
        inverse = jnp.where(distant, jax.lax.rsqrt(jnp.where(distant, squares, 1.0)), 0.0)
        return -squares * inverse, -0.5 * inverse
    if kernel == "squared_energy":
        return -squares, -jnp.ones_like(squares)
    value = jnp.exp(-0.5 * squares)
    return value, -0.5 * value
