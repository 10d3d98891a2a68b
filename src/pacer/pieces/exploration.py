"""Behaviour noise on top of the policy, in NumPy, while the environment is being stepped."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from pacer.pieces.piece import Piece
from pacer.pieces.sizes import check_positive
from pacer.pieces.types import Array


class Exploration(Piece):
    @abstractmethod
    def perturb(self, action: Array, rng: np.random.Generator) -> Array:
        """The action to play instead, both in [-1, 1]^A: what lies outside is clipped."""


@dataclass(frozen=True)
class NoExploration(Exploration):
    """The policy explores by itself."""

    def perturb(self, action: Array, rng: np.random.Generator) -> Array:
        return action


@dataclass(frozen=True)
class EpsilonUniform(Exploration):
    """A uniform action instead of the policy's, now and then."""

    epsilon: float = 0.01

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon is {self.epsilon}: expected a probability")

    def perturb(self, action: Array, rng: np.random.Generator) -> Array:
        if rng.random() >= self.epsilon:
            return action
        return rng.uniform(-1.0, 1.0, action.shape).astype(np.float32)


@dataclass(frozen=True)
class GaussianNoise(Exploration):
    """Normal noise on every action, for policies that have none of their own."""

    deviation: float = 0.1

    def __post_init__(self) -> None:
        check_positive(self, "deviation")

    def perturb(self, action: Array, rng: np.random.Generator) -> Array:
        noise = rng.normal(0.0, self.deviation, action.shape)
        return (action + noise).astype(np.float32)
