"""What every critic offers: atoms of the return, pessimism over its members, and TD learning of both."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import jax

from pacer.pieces.types import Array, Network, Returns, Space, Transition

Target = Callable[[Returns], Returns]
"""From the returns of the next actions (N, B, K) to the target of the update (B, K)."""


class Critic(ABC):
    distributional: ClassVar[bool]
    """Whether its atoms describe a distribution, so that a risk measure means something."""

    @abstractmethod
    def init(self, key: Array, space: Space) -> Network: ...

    @abstractmethod
    def returns(self, network: Network, obs: Array, action: Array, key: Array) -> Returns:
        """Returns (M, ..., B, K) of observations (B, D) and actions (..., B, A)."""

    @abstractmethod
    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        """How far the members' returns (M, B, K), predicted for the batch, are from the goal (B, K'), summed over M."""

    def lower(self, returns: Returns) -> Returns:
        """Pessimism over the members, here atom by atom: (M, ..., B, K) to (..., B, K'). K' may differ from K."""
        return returns._replace(value=returns.value.min(0))

    def loss(
        self, online: Network, frozen: Network, batch: Transition, next_action: Array, target: Target, key: Array
    ) -> tuple[Array, tuple[Any, dict[str, Array]]]:
        """Loss, new statistics of the online network, and metrics. `frozen` is the target network."""
        next_key, key = jax.random.split(key)
        goal = target(self.lower(self.returns(frozen, batch.next_obs, next_action, next_key)))
        predicted = self.returns(online, batch.obs, batch.action, key)
        loss = self.error(online, batch, predicted, jax.lax.stop_gradient(goal))
        return loss, (online.stats, {"return": predicted.mean().mean()})

    def project(self, params: Any) -> Any:
        """Parameters after a step, for critics that keep them on a set; the others leave them as they are."""
        return params
