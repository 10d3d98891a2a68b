"""How the policy's noise runs in time while it explores: anew in every step, or so that it lasts.

Whatever the process, the noise of a single step is standard normal, so that each action is still one of the policy's.
What changes is how long the policy stays with a choice: white noise cancels itself before a slow system has moved.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacer.pieces.piece import Piece, name_of
from pacer.pieces.types import Array

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Noise(Piece):
    def check(self, recipe: "Recipe") -> None:
        if not recipe.actor.has_noise and self != White():
            raise ValueError(
                f"noise {name_of(self)} is that of the policy, and {name_of(recipe.actor)} has none: what its "
                f"exploration, {name_of(recipe.exploration)}, adds is white. Use White, or an actor that has noise "
                "of its own"
            )

    @abstractmethod
    def stream(self, rng: np.random.Generator, size: int) -> Iterator[Array]:
        """Noise (size,) for the steps of one episode, without end."""


@dataclass(frozen=True)
class White(Noise):
    """Independent in every step."""

    def stream(self, rng: np.random.Generator, size: int) -> Iterator[Array]:
        while True:
            yield rng.standard_normal(size, np.float32)


@dataclass(frozen=True)
class Held(Noise):
    """Kept for a random number of steps k, with probability proportional to k^-exponent."""

    longest: int = 50
    exponent: float = 1.0

    def __post_init__(self) -> None:
        if self.longest < 1:
            raise ValueError(f"longest is {self.longest}: expected 1 or more steps")

    def stream(self, rng: np.random.Generator, size: int) -> Iterator[Array]:
        lengths = np.arange(1, self.longest + 1)
        chances = lengths**-self.exponent / (lengths**-self.exponent).sum()
        while True:
            noise = rng.standard_normal(size, np.float32)
            for _ in range(rng.choice(lengths, p=chances)):
                yield noise


@dataclass(frozen=True)
class Autoregressive(Noise):
    """A share of the last step's noise, and fresh noise for the rest of its variance."""

    correlation: float = 0.9

    def __post_init__(self) -> None:
        if not 0 <= self.correlation < 1:
            raise ValueError(f"correlation is {self.correlation}: expected 0 <= correlation < 1")

    def stream(self, rng: np.random.Generator, size: int) -> Iterator[Array]:
        noise = rng.standard_normal(size, np.float32)
        fresh = np.float32(np.sqrt(1 - self.correlation**2))
        while True:
            yield noise
            noise = np.float32(self.correlation) * noise + fresh * rng.standard_normal(size, np.float32)


@dataclass(frozen=True)
class Pink(Noise):
    """Power 1/f: correlated over all time scales up to `length` steps, after which it begins anew."""

    length: int = 1_000

    def __post_init__(self) -> None:
        if self.length < 2:
            raise ValueError(f"length is {self.length}: expected 2 or more steps")

    def stream(self, rng: np.random.Generator, size: int) -> Iterator[Array]:
        frequencies = np.fft.rfftfreq(self.length)
        frequencies[0] = frequencies[1]
        amplitudes = frequencies**-0.5
        # By Parseval: the transform of an impulse is flat, so that its filtered energy is the mean power.
        deviation = np.linalg.norm(np.fft.irfft(amplitudes, self.length))
        while True:
            white = np.fft.rfft(rng.standard_normal((size, self.length)))
            pink = np.fft.irfft(white * amplitudes, self.length)
            yield from (pink / deviation).T.astype(np.float32)
