"""A critic of your own: a network, the returns it stands for, and how far they are from a goal."""

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
from jax.scipy.stats import norm

import pacer
from pacer.pieces import MLP, Body, Critic, Network, Returns, Space, Transition
from pacer.pieces.bodies.base import ensemble, ensemble_init, headed, headed_init
from pacer.pieces.critics.levels import even_levels, quantile_loss
from pacer.pieces.types import Array


@dataclass(frozen=True)
class Normal(Critic):
    """Returns that are normally distributed: the network knows their mean and their spread."""

    distributional: ClassVar[bool] = True
    body: Body = MLP()

    def init(self, key: Array, space: Space) -> Network:
        return ensemble_init(key, 2, lambda k: headed_init(k, self.body, *space, 2))

    def evaluate(self, network: Network, obs: Array, action: Array, key: Array, training: bool = False) -> Any:
        output, stats = ensemble(network, lambda n: headed(self.body, n, obs, action, training=training))
        level, mass = even_levels(8)
        return Returns(output[..., :1] + jax.nn.softplus(output[..., 1:]) * norm.ppf(level), level, mass), stats

    def error(self, online: Network, batch: Transition, predicted: Returns, goal: Returns) -> Array:
        return quantile_loss(predicted, goal, threshold=1.0)


if __name__ == "__main__":
    steps, overrides = int(os.environ.get("STEPS", 10_000)), {"recipe.critic": Normal()}
    pacer.train("Pendulum-v1", "dsac", steps, run_dir="runs/own-critic", overrides=overrides)
    print(pacer.load("runs/own-critic").returns([1.0, 0.0, 0.0], [0.5]).value)
