"""Entropic optimal transport between the policy's actions and reference ones (PACER_W).

Costs |x_i - y_j|^p, uniform masses, log-domain Sinkhorn with a fixed number of sweeps. The plan is held fixed in the
gradient: at convergence that is the exact gradient of the regularised cost.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from pacer.pieces.encouragers.base import SampleEncourager
from pacer.pieces.encouragers.distances import by_dimension, power, root, squared_distances
from pacer.pieces.encouragers.reference import Reference, Uniform
from pacer.pieces.types import Actions, Array


@dataclass(frozen=True)
class Wasserstein(SampleEncourager):
    """Cost of moving the policy's actions to the reference's."""

    samples: int = 32
    states: int = 16
    p: float = 2.0
    epsilon: float = 1.0
    """Entropic regularisation, relative to the mean cost."""
    sweeps: int = 20
    debiased: bool = True
    """Subtract half of the costs of moving each sample to itself: the Sinkhorn divergence.

    Without it, or with a small epsilon, particles that minimise the cost contract in many dimensions: each is drawn to
    the mean of the references that it might be matched with.
    """
    reference: Reference = Uniform()

    def __post_init__(self) -> None:
        if self.p < 1 or self.epsilon <= 0 or self.sweeps < 1:
            raise ValueError(f"{self}: expected p >= 1, epsilon > 0 and sweeps >= 1")

    def penalty(self, actions: Actions, key: Array) -> Array:
        x = by_dimension(actions.action)
        y = by_dimension(self.reference.draw(key, actions.action.shape))
        costs = power(squared_distances(x, y), self.p)
        epsilon = self.epsilon * jax.lax.stop_gradient(costs.mean((1, 2), keepdims=True))
        if not self.debiased:
            plan = transport_plan(costs, epsilon, self.sweeps)
            return root((plan * costs).sum((1, 2)), self.p)
        own, reference = power(squared_distances(x, x), self.p), power(squared_distances(y, y), self.p)
        moved, own, reference = (regularised_cost(c, epsilon, self.sweeps) for c in (costs, own, reference))
        return root(jnp.maximum(moved - 0.5 * (own + reference), 0.0), self.p)


def regularised_cost(costs: Array, epsilon: Array, sweeps: int) -> Array:
    """Value (S,) of entropic transport, entropy included, with the gradient of the frozen plan."""
    to, by = potentials(jax.lax.stop_gradient(costs), epsilon, sweeps)
    plan = _plan(jax.lax.stop_gradient(costs), to, by, epsilon)
    value = to.mean((1, 2)) + by.mean((1, 2))
    cost = (plan * costs).sum((1, 2))
    return value + cost - jax.lax.stop_gradient(cost)


def transport_plan(costs: Array, epsilon: Array, sweeps: int) -> Array:
    """The plan (S, n, n), without gradient; rows and columns sum to 1/n."""
    costs = jax.lax.stop_gradient(costs)
    return _plan(costs, *potentials(costs, epsilon, sweeps), epsilon)


def potentials(costs: Array, epsilon: Array, sweeps: int) -> tuple[Array, Array]:
    """Dual potentials of rows (S, n, 1) and columns (S, 1, n)."""
    log_mass = -jnp.log(costs.shape[1])

    def soft_minimum(slack: Array, axis: int) -> Array:
        # One pass for the maximum, one for the sum: the exponentials are the cost of a sweep.
        scaled = slack / -epsilon
        highest = scaled.max(axis, keepdims=True)
        total = jnp.exp(scaled - highest).sum(axis, keepdims=True)
        return -epsilon * (highest + jnp.log(total) + log_mass)

    def sweep(_: int, pair: tuple[Array, Array]) -> tuple[Array, Array]:
        rows = soft_minimum(costs - pair[1], 2)
        return rows, soft_minimum(costs - rows, 1)

    zeros = jnp.zeros_like(costs[:, :, :1]), jnp.zeros_like(costs[:, :1, :])
    return jax.lax.fori_loop(0, sweeps, sweep, zeros)


def _plan(costs: Array, rows: Array, columns: Array, epsilon: Array) -> Array:
    return jnp.exp((rows + columns - costs) / epsilon) / costs.shape[1] ** 2
