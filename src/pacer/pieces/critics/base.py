"""What every critic offers: atoms of the return, and how far they are from a goal."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax

from pacer.pieces.optimisers import Optimiser
from pacer.pieces.piece import Piece, name_of
from pacer.pieces.types import Array, Network, Returns, Space, Transition

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Pair(NamedTuple):
    """The returns of this step and of the next, and the statistics of both networks after them."""

    predicted: Returns
    following: Returns
    online_stats: Any
    target_stats: Any


class Critic(Piece):
    distributional: ClassVar[bool]
    """Whether its atoms describe a distribution, so that a risk measure means something."""

    @abstractmethod
    def init(self, key: Array, space: Space) -> Network: ...

    @abstractmethod
    def evaluate(
        self, network: Network, obs: Array, action: Array, key: Array, training: bool = False
    ) -> tuple[Returns, Any]:
        """Returns (M, ..., B, K) of observations (B, D) and actions (..., B, A); statistics after them."""

    @abstractmethod
    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        """How far the members' returns (M, B, K), predicted for the batch, are from the goal (B, K'), summed over M."""

    def returns(self, network: Network, obs: Array, action: Array, key: Array) -> Returns:
        """Returns (M, ..., B, K) as the critic rates them when it is not learning."""
        return self.evaluate(network, obs, action, key)[0]

    def pair(self, online: Network, target: Network, batch: Transition, next_action: Array, key: Array) -> Pair:
        """Returns of the batch's actions (M, B, K) and, by the target network, of the next ones (M, N, B, K).

        A critic without target network may give both in one pass.
        """
        next_key, key = jax.random.split(key)
        # Statistics are those of (s, a), for which the parameters were learned: the next pairs are spread otherwise.
        # Where no piece keeps statistics, this pass has no result and is not compiled.
        _, target_stats = self.evaluate(target, batch.obs, batch.action, key, training=True)
        following = self.returns(target._replace(stats=target_stats), batch.next_obs, next_action, next_key)
        predicted, online_stats = self.evaluate(online, batch.obs, batch.action, key, training=True)
        return Pair(predicted, following, online_stats, target_stats)

    def transform(self, optimiser: Optimiser) -> optax.GradientTransformation:
        """The optimiser of its parameters; critics with parts that learn at a pace of their own say so here."""
        return optimiser.transform()

    def rescaled(self, params: Any, factor: Array) -> Any:
        """Parameters of the same networks with returns `factor` times as large, for recipes with return units."""
        raise NotImplementedError(f"{name_of(self)} has no `rescaled`")

    def steepness(self, params: Any, factor: Array) -> Any:
        """How many times as steep the loss, a square of returns, then is in each of these parameters."""
        larger = self.rescaled(jax.tree.map(jnp.ones_like, params), factor)
        return jax.tree.map(lambda times: factor**2 / times, larger)

    def check(self, recipe: "Recipe") -> None:
        if recipe.return_units and type(self).rescaled is Critic.rescaled:
            raise ValueError(
                f"{name_of(self)} has no `rescaled`, by which returns are told in another unit of reward: write it "
                "(`scaled_heads` does, if returns are linear in the heads), or use return_units=False"
            )


def scaled_heads(params: Any, factor: Array) -> Any:
    """Parameters of members with linear heads, whose returns are `factor` times as large."""
    return tuple({**member, "head": jax.tree.map(lambda x: factor * x, member["head"])} for member in params)
