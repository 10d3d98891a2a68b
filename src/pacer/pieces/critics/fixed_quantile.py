"""Quantiles at fixed levels, one output each (QR); the critic of TQC, too."""

from dataclasses import dataclass
from typing import Any, ClassVar

from pacer.pieces.bodies.base import Body, ensemble, ensemble_init, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.critics.base import Critic, scaled_heads
from pacer.pieces.critics.levels import even_levels, quantile_loss
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class FixedQuantile(Critic):
    """As many quantiles as levels, at the midpoints of equal masses."""

    distributional: ClassVar[bool] = True
    body: Body = MLP()
    levels: int = 32
    members: int = 2
    threshold: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "threshold")

    def init(self, key: Array, space: Space) -> Network:
        return ensemble_init(key, self.members, lambda k: headed_init(k, self.body, *space, self.levels))

    def evaluate(
        self, network: Network, obs: Array, action: Array, key: Array, training: bool = False
    ) -> tuple[Returns, Any]:
        value, stats = ensemble(network, lambda n: headed(self.body, n, obs, action, training=training))
        return Returns(value, *even_levels(self.levels)), stats

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        return quantile_loss(predicted, goal, self.threshold)

    def rescaled(self, params: Any, factor: Array) -> Any:
        return scaled_heads(params, factor)
