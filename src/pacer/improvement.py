"""The direction in which the actor moves."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import jax

from pacer.actors.base import draw_noise, sample
from pacer.types import Array, Network, Networks, Transition

if TYPE_CHECKING:
    from pacer.recipe import Recipe


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
