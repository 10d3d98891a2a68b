"""Risk measures phi: one number for a distribution of returns. Neutral parameters give exactly the mean.

A measure with a distortion g of the cumulative probability weighs atom i by g(tau_{i+1}) - g(tau_i), so that the
weights sum to 1 whatever the atoms' masses are.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import jax
import jax.numpy as jnp
from jax.scipy.stats import norm

from pacer.pieces.piece import Piece, name_of
from pacer.pieces.types import Array, Returns

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Risk(Piece):
    def check(self, recipe: "Recipe") -> None:
        if self != Neutral() and not recipe.critic.distributional:
            raise ValueError(
                f"risk measure {self} needs a distribution of returns, and an {name_of(recipe.critic)} critic "
                "learns only their mean: use a distributional critic such as Quantile"
            )

    @abstractmethod
    def value(self, returns: Returns) -> Array:
        """Value (...) of returns (..., K)."""


def distorted(returns: Returns, distortion: Callable[[Array], Array]) -> Array:
    """The mean under a distorted cumulative probability."""
    inner = distortion(jnp.cumsum(returns.mass, -1)[..., :-1])
    ends = jnp.zeros_like(returns.mass[..., :1]), jnp.ones_like(returns.mass[..., :1])
    weights = jnp.diff(jnp.concatenate([ends[0], inner, ends[1]], -1), axis=-1)
    return (weights * returns.value).sum(-1)


@dataclass(frozen=True)
class Neutral(Risk):
    """The mean."""

    short: ClassVar[str] = "neutral"

    def value(self, returns: Returns) -> Array:
        return returns.mean()


@dataclass(frozen=True)
class CVaR(Risk):
    """The mean of the worst `level` of the returns; with -level, of the best."""

    short: ClassVar[str] = "cvar"
    level: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < abs(self.level) <= 1:
            raise ValueError(
                f"the level of CVaR is {self.level}: expected 0 < level <= 1, or its negative for the best"
            )

    def value(self, returns: Returns) -> Array:
        if abs(self.level) == 1:
            return returns.mean()
        if self.level > 0:
            return distorted(returns, lambda t: jnp.minimum(t / self.level, 1.0))
        return distorted(returns, lambda t: 1 - jnp.minimum((1 - t) / -self.level, 1.0))


@dataclass(frozen=True)
class Wang(Risk):
    """g(t) = Phi(Phi^-1(t) + shift): averse for a shift above 0, seeking below."""

    short: ClassVar[str] = "wang"
    shift: float = 0.0

    def value(self, returns: Returns) -> Array:
        if self.shift == 0:
            return returns.mean()
        return distorted(returns, lambda t: norm.cdf(norm.ppf(jnp.clip(t, 1e-6, 1 - 1e-6)) + self.shift))


@dataclass(frozen=True)
class CPW(Risk):
    """Cumulative prospect weighting: overrates both tails (usually 0.71; 1 is neutral)."""

    short: ClassVar[str] = "cpw"
    curvature: float = 1.0

    def __post_init__(self) -> None:
        if not 0.3 <= self.curvature <= 1:
            raise ValueError(f"the curvature of CPW is {self.curvature}: expected 0.3 to 1, where it is monotone")

    def value(self, returns: Returns) -> Array:
        h = self.curvature
        if h == 1:
            return returns.mean()

        def weigh(t: Array) -> Array:
            t = jnp.clip(t, 1e-6, 1 - 1e-6)
            return t**h / (t**h + (1 - t) ** h) ** (1 / h)

        return distorted(returns, weigh)


@dataclass(frozen=True)
class PowerRisk(Risk):
    """g(t) = t^(1+n) for n above 0 (seeking), 1 - (1-t)^(1-n) below (averse)."""

    short: ClassVar[str] = "power"
    exponent: float = 0.0

    def value(self, returns: Returns) -> Array:
        n = self.exponent
        if n == 0:
            return returns.mean()
        return distorted(returns, lambda t: t ** (1 + n) if n > 0 else 1 - (1 - jnp.minimum(t, 1.0)) ** (1 - n))


@dataclass(frozen=True)
class Entropic(Risk):
    """-log E exp(-aversion Z) / aversion: averse above 0, seeking below."""

    short: ClassVar[str] = "entropic"
    aversion: float = 0.0

    def value(self, returns: Returns) -> Array:
        if self.aversion == 0:
            return returns.mean()
        exponents = -self.aversion * returns.value
        return -jax.nn.logsumexp(exponents, axis=-1, b=returns.mass) / self.aversion


@dataclass(frozen=True)
class MeanDeviation(Risk):
    """Mean minus `aversion` standard deviations."""

    short: ClassVar[str] = "deviation"
    aversion: float = 0.0

    def value(self, returns: Returns) -> Array:
        centre = returns.mean()
        if self.aversion == 0:
            return centre
        variance = (returns.mass * (returns.value - centre[..., None]) ** 2).sum(-1)
        return centre - self.aversion * jnp.sqrt(variance + 1e-12)


@dataclass(frozen=True)
class VaR(Risk):
    """The return that is undercut with probability `level`, between the nearest atoms."""

    short: ClassVar[str] = "var"
    level: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError(f"the level of VaR is {self.level}: expected 0 < level < 1")

    def value(self, returns: Returns) -> Array:
        count = returns.value.shape[-1]
        if count == 1:
            return returns.mean()
        above = jnp.clip((returns.level < self.level).sum(-1, keepdims=True), 1, count - 1)
        low, high = (jnp.take_along_axis(returns.level, above - i, axis=-1) for i in (1, 0))
        share = jnp.clip((self.level - low) / jnp.maximum(high - low, 1e-12), 0.0, 1.0)
        places = jnp.arange(count)
        weights = jnp.where(places == above - 1, 1 - share, 0.0) + jnp.where(places == above, share, 0.0)
        return (weights * returns.value).sum(-1)
