"""A quantile critic that also learns which levels to look at (FQF)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import optax

from pacer.pieces.bodies.base import Body, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.critics.base import Critic
from pacer.pieces.critics.levels import midpoints, quantile_loss
from pacer.pieces.critics.quantile import Quantile
from pacer.pieces.optimisers import Adam, Optimiser
from pacer.pieces.types import Array, Network, Returns, Space, Transition


@dataclass(frozen=True)
class Proposed(Critic):
    """Masses proposed from (s, a), so that steps between them fit the quantile function best."""

    distributional: ClassVar[bool] = True
    quantile: Quantile = Quantile()
    proposal: Body = MLP((128, 128))
    proposal_optimiser: Optimiser = Adam(1e-5)
    """The proposal follows the quantiles it is made for, at a thirtieth of their pace (DSAC's code)."""

    def __post_init__(self) -> None:
        if self.quantile.mean != "quantiles":
            raise ValueError(f"mean is {self.quantile.mean!r}: expected 'quantiles' with proposed levels")

    @property
    def members(self) -> int:
        return self.quantile.members

    def init(self, key: Array, space: Space) -> Network:
        proposal_key, key = jax.random.split(key)
        proposal = headed_init(proposal_key, self.proposal, *space, self.quantile.levels)
        quantile = self.quantile.init(key, space)
        return Network(*({"proposal": p, "quantile": q} for p, q in zip(proposal, quantile, strict=True)))

    def evaluate(
        self, network: Network, obs: Array, action: Array, key: Array, training: bool = False
    ) -> tuple[Returns, Any]:
        mass, proposal_stats = self.propose(network, obs, action, training)
        mass = jax.lax.stop_gradient(mass)  # where to look is not what is seen: no slope of the value goes through it
        level = midpoints(mass)
        value, stats = self.quantile.at(_part(network, "quantile"), obs, action, level, training)
        return Returns(value, level, mass), {"proposal": proposal_stats, "quantile": stats}

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        proposal = self.proposal_loss(online, batch.obs, batch.action, predicted)
        return quantile_loss(predicted, goal, self.quantile.threshold) + proposal

    def transform(self, optimiser: Optimiser) -> optax.GradientTransformation:
        parts = {"proposal": self.proposal_optimiser.transform(), "quantile": optimiser.transform()}
        return optax.partition(parts, {"proposal": "proposal", "quantile": "quantile"})

    def rescaled(self, params: Any, factor: Array) -> Any:
        return {**params, "quantile": self.quantile.rescaled(params["quantile"], factor)}

    def steepness(self, params: Any, factor: Array) -> Any:
        steepness = super().steepness(params, factor)  # but the loss of a proposal is linear in returns
        return {**steepness, "proposal": jax.tree.map(lambda _: factor, params["proposal"])}

    def propose(self, network: Network, obs: Array, action: Array, training: bool = False) -> tuple[Array, Any]:
        """Masses (..., B, K), and the statistics after them."""
        logits, stats = headed(self.proposal, _part(network, "proposal"), obs, action, training=training)
        return jax.nn.softmax(logits), stats

    def proposal_loss(self, online: Network, obs: Array, action: Array, predicted: Returns) -> Array:
        """Its gradient is that of the 1-Wasserstein distance between the quantile function and its steps."""
        edges = jnp.cumsum(self.propose(online, obs, action, training=True)[0], -1)[..., :-1]
        levels = jax.lax.stop_gradient(edges)
        at_edges = self.quantile.at(_part(online, "quantile"), obs, action, levels, training=True)[0].mean(0)
        middle = predicted.value.mean(0)
        slope = 2 * at_edges - middle[..., :-1] - middle[..., 1:]
        return (jax.lax.stop_gradient(slope) * edges).sum(-1).mean()


def _part(network: Network, name: str) -> Network:
    return Network(network.params[name], network.stats[name])
