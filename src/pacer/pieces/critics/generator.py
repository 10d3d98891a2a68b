"""The authors' critic of IDAC: a noise-driven sampler of the return whose samples, once sorted, are its quantiles."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.bodies.base import Body, ensemble, ensemble_init, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.critics.base import Critic, scaled_heads
from pacer.pieces.critics.levels import even_levels, quantile_loss
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Generator(Critic):
    """Return samples G(s, a, noise), with one draw of noises shared by the batch."""

    distributional: ClassVar[bool] = True
    body: Body = MLP()
    levels: int = 32
    members: int = 2
    noise: int = 5
    threshold: float = 1.0

    def __post_init__(self) -> None:
        check_positive(self, "threshold")

    def init(self, key: Array, space: Space) -> Network:
        return ensemble_init(key, self.members, lambda k: headed_init(k, self.body, sum(space), self.noise, 1))

    def evaluate(
        self, network: Network, obs: Array, action: Array, key: Array, training: bool = False
    ) -> tuple[Returns, Any]:
        obs = jnp.broadcast_to(obs, (*action.shape[:-1], obs.shape[-1]))
        pair = jnp.concatenate([obs, action], axis=-1)[..., None, :]
        noise = jax.random.normal(key, (self.levels, self.noise))
        samples, stats = ensemble(network, lambda n: headed(self.body, n, pair, noise, training=training))
        return Returns(jnp.sort(samples[..., 0], axis=-1), *even_levels(self.levels)), stats

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        return quantile_loss(predicted, goal, self.threshold)

    def rescaled(self, params: Any, factor: Array) -> Any:
        return scaled_heads(params, factor)
