"""A quantile critic that also learns which levels to look at (FQF)."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.critics.base import Critic
from pacer.pieces.critics.levels import midpoints, quantile_loss
from pacer.pieces.critics.quantile import Quantile
from pacer.pieces.networks import apply, network_init
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Proposed(Critic):
    """Masses proposed from (s, a), so that steps between them fit the quantile function best."""

    distributional: ClassVar[bool] = True
    quantile: Quantile = Quantile()
    proposal_hidden: tuple[int, ...] = (128, 128)
    proposal_rate: float = 1 / 30
    """Learning rate of the proposal relative to the critic's (DSAC: 1e-5 beside 3e-4)."""

    @property
    def members(self) -> int:
        return self.quantile.members

    def init(self, key: Array, space: Space) -> Network:
        proposal_key, key = jax.random.split(key)
        proposal = network_init(
            proposal_key, space.observation, space.action, self.proposal_hidden, self.quantile.levels
        )
        # Adam moves all weights alike; weights stored enlarged and used scaled down move slower.
        proposal = jax.tree.map(lambda x: x / self.proposal_rate, proposal)
        return Network({"proposal": proposal, "members": self.quantile.init(key, space).params})

    def returns(self, network: Network, obs: Array, action: Array, key: Array) -> Returns:
        mass = jax.lax.stop_gradient(self.propose(network, obs, action))
        level = midpoints(mass)
        return Returns(self._at(network, obs, action, level), level, mass)

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        proposal = self.proposal_loss(online, batch.obs, batch.action, predicted)
        return quantile_loss(predicted, goal, self.quantile.threshold) + proposal

    def propose(self, network: Network, obs: Array, action: Array) -> Array:
        """Masses (..., B, K)."""
        params = jax.tree.map(lambda x: x * self.proposal_rate, network.params["proposal"])
        return jax.nn.softmax(apply(params, obs, action))

    def proposal_loss(self, online: Network, obs: Array, action: Array, predicted: Returns) -> Array:
        """Its gradient is that of the 1-Wasserstein distance between the quantile function and its steps."""
        edges = jnp.cumsum(self.propose(online, obs, action), -1)[..., :-1]
        at_edges = self._at(online, obs, action, jax.lax.stop_gradient(edges)).mean(0)
        middle = predicted.value.mean(0)
        slope = 2 * at_edges - middle[..., :-1] - middle[..., 1:]
        return (jax.lax.stop_gradient(slope) * edges).sum(-1).mean()

    def _at(self, network: Network, obs: Array, action: Array, level: Array) -> Array:
        return self.quantile.at(Network(network.params["members"]), obs, action, level)
