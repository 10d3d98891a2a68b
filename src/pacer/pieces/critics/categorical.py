"""Probabilities on fixed atoms (C51): the reverse of a quantile critic, masses are learned and values are given."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import jax
import jax.numpy as jnp

from pacer.pieces.bodies.base import Body, ensemble, ensemble_init, headed, headed_init
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.critics.base import Critic
from pacer.pieces.critics.levels import midpoints
from pacer.pieces.pessimism import FirstMember, LowestMember
from pacer.pieces.piece import name_of
from pacer.pieces.types import Array, Network, Returns, Space, Transition

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe

SMALLEST_MASS = 1e-37  # the logarithm stays finite


@dataclass(frozen=True)
class Categorical(Critic):
    """A histogram of the return between two bounds, which must hold every return of the task."""

    distributional: ClassVar[bool] = True
    body: Body = MLP()
    members: int = 2
    atoms: int = 101
    lowest: float = -200.0
    highest: float = 800.0

    def __post_init__(self) -> None:
        if self.atoms < 2 or not self.lowest < self.highest:
            raise ValueError(f"{self.atoms} atoms from {self.lowest} to {self.highest}: expected 2 or more, upwards")

    def check(self, recipe: "Recipe") -> None:
        if recipe.return_units:
            raise ValueError("the bounds of a Categorical critic are returns in one unit: use return_units=False")
        for pessimism in (recipe.target_pessimism, recipe.actor_pessimism):
            if not isinstance(pessimism, LowestMember | FirstMember):
                raise ValueError(
                    f"{name_of(pessimism)} compares atoms of different members, and those of a Categorical critic all "
                    "have the same values: use LowestMember or FirstMember"
                )

    def init(self, key: Array, space: Space) -> Network:
        return ensemble_init(key, self.members, lambda k: headed_init(k, self.body, *space, self.atoms))

    def evaluate(
        self, network: Network, obs: Array, action: Array, key: Array, training: bool = False
    ) -> tuple[Returns, Any]:
        logits, stats = ensemble(network, lambda n: headed(self.body, n, obs, action, training=training))
        mass = jax.nn.softmax(logits)
        value = jnp.broadcast_to(jnp.linspace(self.lowest, self.highest, self.atoms), mass.shape)
        return Returns(value, midpoints(mass), mass), stats

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        log_mass = jnp.log(jnp.maximum(predicted.mass, SMALLEST_MASS))
        cross_entropy = -(self.project_mass(goal.value, goal.mass) * log_mass).sum(-1)
        return cross_entropy.mean() * self.members

    def project_mass(self, value: Array, mass: Array) -> Array:
        """Mass at any values (B, K), shared out to the two nearest atoms; what lies outside goes to the end atoms."""
        gap = (self.highest - self.lowest) / (self.atoms - 1)
        position = (jnp.clip(value, self.lowest, self.highest) - self.lowest) / gap
        share = jnp.clip(1 - jnp.abs(position[..., None] - jnp.arange(self.atoms)), 0, 1)  # (B, K, atoms)
        return jnp.einsum("bk,bka->ba", mass, share)
