"""How many modes an actor keeps: bandits with 2, 4 and 8 equal peaks in one and two dimensions, one table.

python results/modes.py
"""

import itertools
import math
from dataclasses import replace

from pacer.runtime import use_one_thread

use_one_thread()

import jax  # noqa: E402
import numpy as np  # noqa: E402
from table import fill  # noqa: E402

from pacer import learner  # noqa: E402
from pacer.pieces import Adam, Fixed, Flow, Gaussian, PushForward, Recipe, SemiImplicit, Space, Transition  # noqa: E402
from pacer.presets import Size  # noqa: E402
from pacer.recipes import PACER, PACER_M  # noqa: E402
from pacer.training.statistics import Moments  # noqa: E402

SIZE = Size(hidden=(64, 64), levels=16, samples=32, batch=64, warm_up=0)
ACTORS = {
    "push-forward": PushForward(skip=0.6, greedy_rule="medoid"),
    "flow": Flow(),
    "semi-implicit": SemiImplicit(),
    "Gaussian": Gaussian(),
}
RULES = {"pacer": PACER, "pacer-m, weight 1": replace(PACER_M, weight=Fixed(1.0))}
BLOCKS, UPDATES, SAMPLES = 80, 50, 4_000
SEEDS = (0, 1)


def peaks(count: int, dimensions: int) -> np.ndarray:
    """Places of the peaks, evenly on a line or on a circle."""
    if dimensions == 1:
        return np.linspace(-1, 1, 2 * count + 1)[1::2, None]
    angles = 2 * math.pi * np.arange(count) / count
    return 0.7 * np.stack([np.cos(angles), np.sin(angles)], 1)


def distances(action: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.linalg.norm(action[..., None, :] - places, axis=-1)


def shares(recipe: Recipe, places: np.ndarray, seed: int) -> np.ndarray:
    """Share of a trained policy's samples at each peak."""
    dimensions = places.shape[1]
    width = 0.3 * np.linalg.norm(places[0] - places[1]) / 2  # peaks do not run into each other
    rng, scaling, space = np.random.default_rng(seed), Moments.empty(1).scaling(), Space(1, dimensions)
    state = learner.init(recipe, space, jax.random.key(seed))
    for block in range(BLOCKS):
        action = rng.uniform(-1, 1, (UPDATES, recipe.batch, dimensions)).astype(np.float32)
        reward = np.exp(-0.5 * (distances(action, places).min(-1) / width) ** 2).astype(np.float32)
        obs, zero = np.ones((*reward.shape, 1), np.float32), np.zeros_like(reward)
        key = jax.random.fold_in(jax.random.key(seed), block)
        state, *_ = learner.learn(recipe, state, Transition(obs, action, reward, obs, zero), scaling, key)
    noise = recipe.actor.noise(jax.random.key(1), space, (SAMPLES, 1))
    action = np.asarray(recipe.actor.push(state.online.actor, np.ones((1, 1), np.float32), noise))[:, 0]
    return (distances(action, places) <= 2 * width).mean(0)


def kept(rule: str, actor: str, dimensions: int, count: int, seed: int) -> tuple[int, float, float]:
    """Peaks that hold a quarter of an even share, the share of samples at any, and that at the least of them."""
    recipe = replace(RULES[rule], actor=ACTORS[actor], actor_optimiser=Adam(1e-3), critic_optimiser=Adam(1e-3))
    at = shares(SIZE.apply(recipe), peaks(count, dimensions), seed)
    return int((at >= 0.25 / count).sum()), round(at.sum(), 3), round(at.min() * count, 3)


if __name__ == "__main__":
    columns = ("rule", "actor", "dimensions", "peaks", "seed", "kept", "share_at_peaks", "evenness")
    fill("modes", columns, itertools.product(RULES, ACTORS, (1, 2), (2, 4, 8), SEEDS), kept)
