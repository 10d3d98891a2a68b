"""The value of what comes next: which next actions, and the target made of their returns."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from pacer.pieces.actors.base import draw_noise, sample
from pacer.pieces.types import Actions, Array, Networks, Returns, Transition

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Backup(ABC):
    @abstractmethod
    def actions(self, recipe: "Recipe", online: Networks, target: Networks, batch: Transition, key: Array) -> Actions:
        """Next actions (N, B, A)."""

    @abstractmethod
    def target(self, recipe: "Recipe", weight: Array, batch: Transition, actions: Actions, returns: Returns) -> Returns:
        """Target (B, K) from the next actions' returns (N, B, K)."""


@dataclass(frozen=True)
class PolicyBackup(Backup):
    """One next action from the policy: psi(r) + discount * Z(s', a')."""

    target_actor: bool = False
    """Whether the target actor supplies the next action."""
    penalty_in_return: bool = False
    """Whether the weighted penalty of the next action is part of the return, as entropy is in SAC."""
    smoothing: float = 0.0
    """Deviation of clipped noise on the next action (TD3: 0.2)."""
    smoothing_clip: float = 0.5

    def actions(self, recipe: "Recipe", online: Networks, target: Networks, batch: Transition, key: Array) -> Actions:
        noise_key, density_key, smoothing_key = jax.random.split(key, 3)
        actor = target.actor if self.target_actor else online.actor
        noise = draw_noise(noise_key, recipe.actor, batch.space, (1, batch.obs.shape[0]))
        actions = sample(recipe.actor, actor, batch.next_obs, noise, density_key)
        if self.smoothing == 0:
            return actions
        blur = self.smoothing * jax.random.normal(smoothing_key, actions.action.shape)
        blur = jnp.clip(blur, -self.smoothing_clip, self.smoothing_clip)
        return actions._replace(action=jnp.clip(actions.action + blur, -1.0, 1.0))

    def target(self, recipe: "Recipe", weight: Array, batch: Transition, actions: Actions, returns: Returns) -> Returns:
        following = returns.of_sample(0)
        value = following.value
        if self.penalty_in_return:
            penalty = recipe.encourager.penalty(actions, jax.random.key(0))  # a density needs no randomness
            value = value - weight * penalty[:, None]
        return following._replace(value=batch.reward[:, None] + batch.discount[:, None] * value)


@dataclass(frozen=True)
class SoftMaximum(Backup):
    """The soft value log mean exp Q(s', a') over uniform actions, with no policy in it (SQL).

    The temperature is 1: a larger reward scale makes the maximum harder.
    """

    particles: int = 16

    def actions(self, recipe: "Recipe", online: Networks, target: Networks, batch: Transition, key: Array) -> Actions:
        action = jax.random.uniform(key, (self.particles, 1, batch.space.action), minval=-1.0, maxval=1.0)
        shape = (self.particles, batch.obs.shape[0], batch.space.action)
        return Actions(jnp.broadcast_to(action, shape), None)

    def target(self, recipe: "Recipe", weight: Array, batch: Transition, actions: Actions, returns: Returns) -> Returns:
        volume = batch.space.action * jnp.log(2.0)  # of the action box, over which the mean is taken
        values = recipe.risk.value(returns)
        soft = jax.nn.logsumexp(values, axis=0) - jnp.log(self.particles) + volume
        value = batch.reward + batch.discount * soft
        return Returns(value[:, None], returns.level, returns.mass)
