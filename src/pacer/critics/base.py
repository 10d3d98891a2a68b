"""What every critic offers: atoms of the return, pessimism over its members, and a loss."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from pacer.types import Array, Network, Returns, Space, Transition

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
    def lower(self, returns: Returns) -> Returns:
        """Pessimism over the members: (M, ..., B, K) to (..., B, K'). K' may differ from K."""

    @abstractmethod
    def loss(
        self, online: Network, frozen: Network, batch: Transition, next_action: Array, target: Target, key: Array
    ) -> tuple[Array, tuple[Any, dict[str, Array]]]:
        """Loss, new statistics of the online network, and metrics. `frozen` is the target network."""

    def project(self, params: Any) -> Any:
        """Parameters after a step, for critics that keep them on a set; the others leave them as they are."""
        return params
