"""The direction in which the actor moves."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import jax
import jax.numpy as jnp

from pacer.pieces.actors.base import draw_noise, sample
from pacer.pieces.types import Array, Network, Networks, Transition

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Improvement(ABC):
    @abstractmethod
    def loss(
        self, actor: Network, recipe: "Recipe", online: Networks, weight: Array, batch: Transition, key: Array
    ) -> tuple[Array, dict[str, Array]]:
        """Loss of the actor and metrics, among them the encourager's mean `distance`."""


@dataclass(frozen=True)
class Ascent(Improvement):
    """Up the value of the actor's own actions: SUVPG, DPG and SAC's gradient are this line for different actors."""

    member: Literal["minimum", "first", "mean"] = "minimum"
    """Which critic member values an action: the lowest, the first (TD3), or their mean."""
    actions: int = 1
    """Actions valued per state."""

    def loss(
        self, actor: Network, recipe: "Recipe", online: Networks, weight: Array, batch: Transition, key: Array
    ) -> tuple[Array, dict[str, Array]]:
        keys = jax.random.split(key, 6)
        noise = draw_noise(keys[0], recipe.actor, batch.space, (self.actions, batch.obs.shape[0]))
        actions = sample(recipe.actor, actor, batch.obs, noise, keys[1])
        returns = recipe.critic.returns(online.critic, batch.obs, actions.action, keys[2])
        value = self._combine(recipe.risk.value(returns)).mean()
        if recipe.encourager.samples > 1:
            obs = batch.obs[: recipe.encourager.states]
            noise = draw_noise(keys[3], recipe.actor, batch.space, (recipe.encourager.samples, len(obs)))
            actions = sample(recipe.actor, actor, obs, noise, keys[4])
        distance = recipe.encourager.penalty(actions, keys[5]).mean()
        return weight * distance - value, {"value": value, "distance": distance}

    def _combine(self, value: Array) -> Array:
        if self.member == "first":
            return value[0]
        return value.min(0) if self.member == "minimum" else value.mean(0)


@dataclass(frozen=True)
class Stein(Improvement):
    """Along the Stein variational gradient: samples climb exp Q and repel each other (SQL).

    Half of the particles stand still and pull the other half, whose direction is then pushed into the actor.
    """

    particles: int = 16

    def __post_init__(self) -> None:
        if self.particles < 4 or self.particles % 2:
            raise ValueError(
                f"particles is {self.particles}: expected an even number, at least 4 (half of them stand still)"
            )

    def loss(
        self, actor: Network, recipe: "Recipe", online: Networks, weight: Array, batch: Transition, key: Array
    ) -> tuple[Array, dict[str, Array]]:
        noise_key, value_key = jax.random.split(key)
        noise = draw_noise(noise_key, recipe.actor, batch.space, (self.particles, batch.obs.shape[0]))
        # Two calls: the gradient need not go back through the half that stands still.
        still, moved = (recipe.actor.push(actor, batch.obs, half) for half in jnp.split(noise, 2))
        still = jax.lax.stop_gradient(still)

        def log_density(action: Array) -> tuple[Array, Array]:
            returns = recipe.critic.returns(online.critic, batch.obs, action, value_key)
            value = recipe.risk.value(returns).min(0)
            squash = jnp.log(1 - action**2 + 1e-6).sum(-1)
            return (value + squash).sum(), value.mean()

        slope, value = jax.grad(log_density, has_aux=True)(still)
        direction = stein_direction(still, jax.lax.stop_gradient(moved), slope)
        loss = -(moved * direction).sum(-1).mean()
        return loss, {"value": value, "distance": jnp.zeros(())}


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
