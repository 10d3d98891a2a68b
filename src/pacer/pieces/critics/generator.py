"""The authors' critic of IDAC: a noise-driven sampler of the return whose samples, once sorted, are its quantiles."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.critics.base import Critic
from pacer.pieces.critics.levels import even_levels, quantile_loss
from pacer.pieces.networks import apply, members_init
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Generator(Critic):
    """Return samples G(s, a, noise), with one draw of noises shared by the batch."""

    distributional: ClassVar[bool] = True
    hidden: tuple[int, ...] = (256, 256)
    levels: int = 32
    members: int = 2
    noise: int = 5
    threshold: float = 1.0

    def init(self, key: Array, space: Space) -> Network:
        return Network(members_init(key, self.members, space.observation + space.action, self.noise, self.hidden, 1))

    def returns(self, network: Network, obs: Array, action: Array, key: Array) -> Returns:
        obs = jnp.broadcast_to(obs, (*action.shape[:-1], obs.shape[-1]))
        pair = jnp.concatenate([obs, action], axis=-1)[..., None, :]
        noise = jax.random.normal(key, (self.levels, self.noise))
        samples = [apply(params, pair, noise)[..., 0] for params in network.params]
        return Returns(jnp.sort(jnp.stack(samples), axis=-1), *even_levels(self.levels))

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        return quantile_loss(predicted, goal, self.threshold)
