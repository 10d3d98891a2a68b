"""A risk measure of your own: one number for a return. By its short name it can be typed, as `blend:0.25:0.5`."""

import os
from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp

import pacer
from pacer.pieces import Returns, Risk
from pacer.pieces.risks import distorted
from pacer.pieces.types import Array

STEPS = int(os.environ.get("STEPS", 10_000))
RUN = "runs/own-risk"


@dataclass(frozen=True)
class Blend(Risk):
    """Part CVaR, by its share, and part mean."""

    short: ClassVar[str] = "blend"
    level: float = 0.25
    share: float = 0.5

    def value(self, returns: Returns) -> Array:
        return distorted(returns, lambda t: self.share * jnp.minimum(t / self.level, 1.0) + (1 - self.share) * t)


if __name__ == "__main__":
    overrides = {"recipe.risk": "blend:0.25:0.5", "recipe.critic.levels": 8}  # risk="blend:0.25:0.5" does as well
    pacer.train("Pendulum-v1", "dsac", STEPS, run_dir=RUN, overrides=overrides)

    agent = pacer.load(RUN)
    returns = agent.returns([1.0, 0.0, 0.0], [0.5])
    print(agent.recipe.risk, "rates an action", agent.recipe.risk.value(returns), "whose mean is", returns.mean())
