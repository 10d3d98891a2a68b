"""What comes next: which next actions, and the return that stands for them all."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.actors.base import Actor
from pacer.pieces.piece import Piece, name_of
from pacer.pieces.risks import Risk
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Actions, Array, Networks, Returns, Space, Transition

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Backup(Piece):
    @property
    @abstractmethod
    def penalty_in_return(self) -> bool:
        """Whether the encourager's weighted penalty of the next action is part of the return, as entropy is in SAC."""

    def beside_rewards(self, penalty: float, space: Space) -> float:
        """What a return counts in a step beside its reward, where the encourager takes this penalty."""
        return penalty if self.penalty_in_return else 0.0

    @abstractmethod
    def actions(
        self, actor: Actor, online: Networks, target: Networks, batch: Transition, key: Array
    ) -> tuple[Actions, Any]:
        """Next actions (N, B, A), and the target actor's statistics after them."""

    @abstractmethod
    def following(self, returns: Returns, actions: Actions, risk: Risk) -> Returns:
        """One return (B, K) out of those of the next actions (N, B, K)."""


@dataclass(frozen=True)
class PolicyBackup(Backup):
    """One next action from the policy: Z(s', a')."""

    target_actor: bool = False
    """Whether the target actor supplies the next action."""
    penalty_in_return: bool = False
    smoothing: float = 0.0
    """Deviation of clipped noise on the next action (TD3: 0.2)."""
    smoothing_clip: float = 0.5

    def actions(
        self, actor: Actor, online: Networks, target: Networks, batch: Transition, key: Array
    ) -> tuple[Actions, Any]:
        noise_key, density_key, smoothing_key = jax.random.split(key, 3)
        noise = actor.noise(noise_key, batch.space, (1, batch.obs.shape[0]))
        network, stats = online.actor, target.actor.stats
        if self.target_actor:
            # Statistics are those of the states that the parameters were learned for; see `Critic.pair`.
            _, stats = actor.transform(target.actor, batch.obs, noise, training=True)
            network = target.actor._replace(stats=stats)
        actions, _ = actor.sample(network, batch.next_obs, noise, density_key)
        if self.smoothing > 0:
            blur = self.smoothing * jax.random.normal(smoothing_key, actions.action.shape)
            blur = jnp.clip(blur, -self.smoothing_clip, self.smoothing_clip)
            actions = actions._replace(action=jnp.clip(actions.action + blur, -1.0, 1.0), raw=None)
        return actions, stats

    def following(self, returns: Returns, actions: Actions, risk: Risk) -> Returns:
        return returns.at(0)


@dataclass(frozen=True)
class SoftMaximum(Backup):
    """The soft value log mean exp Q(s', a') over uniform actions, with no policy in it (SQL).

    The temperature is 1: a larger reward scale makes the maximum harder.
    """

    penalty_in_return: ClassVar[bool] = False
    particles: int = 16

    def __post_init__(self) -> None:
        check_positive(self, "particles")

    def check(self, recipe: "Recipe") -> None:
        if recipe.critic.distributional:
            raise ValueError(
                f"SoftMaximum backs up one number, and a {name_of(recipe.critic)} critic learns a distribution"
            )

    def actions(
        self, actor: Actor, online: Networks, target: Networks, batch: Transition, key: Array
    ) -> tuple[Actions, Any]:
        action = jax.random.uniform(key, (self.particles, 1, batch.space.action), minval=-1.0, maxval=1.0)
        shape = (self.particles, batch.obs.shape[0], batch.space.action)
        return Actions(jnp.broadcast_to(action, shape), None), target.actor.stats

    def beside_rewards(self, penalty: float, space: Space) -> float:
        return space.action * math.log(2.0)  # at most, the entropy of uniform actions

    def following(self, returns: Returns, actions: Actions, risk: Risk) -> Returns:
        volume = actions.action.shape[-1] * jnp.log(2.0)  # of the action box, over which the mean is taken
        soft = jax.nn.logsumexp(risk.value(returns), axis=0) - jnp.log(self.particles) + volume
        return Returns(soft[:, None], returns.level, returns.mass)
