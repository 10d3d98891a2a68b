"""The value of what comes next: which next actions, and the target made of their returns."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax

from pacer.actors.base import draw_noise, sample
from pacer.types import Actions, Array, Networks, Returns, Transition

if TYPE_CHECKING:
    from pacer.recipe import Recipe


class Backup(ABC):
    @abstractmethod
    def actions(self, recipe: "Recipe", online: Networks, target: Networks, batch: Transition, key: Array) -> Actions:
        """Next actions (N, B, A)."""

    @abstractmethod
    def target(self, recipe: "Recipe", weight: Array, batch: Transition, actions: Actions, returns: Any) -> Returns:
        """Target (B, K) from the next actions' returns (N, B, K)."""


@dataclass(frozen=True)
class PolicyBackup(Backup):
    """One next action from the policy: psi(r) + discount * Z(s', a')."""

    target_actor: bool = False
    """Whether the target actor supplies the next action."""

    def actions(self, recipe: "Recipe", online: Networks, target: Networks, batch: Transition, key: Array) -> Actions:
        noise_key, density_key = jax.random.split(key)
        actor = target.actor if self.target_actor else online.actor
        noise = draw_noise(noise_key, recipe.actor, batch.space, (1, batch.obs.shape[0]))
        return sample(recipe.actor, actor, batch.next_obs, noise, density_key)

    def target(self, recipe: "Recipe", weight: Array, batch: Transition, actions: Actions, returns: Any) -> Returns:
        value = batch.reward[:, None] + batch.discount[:, None] * returns.value[0]
        return returns._replace(value=value)
