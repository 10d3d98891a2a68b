"""How many modes an actor keeps, and what single actions of it earn: bandits with 2, 4 and 8 equal peaks in one and
two dimensions, one table.

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
from pacer.pieces.types import Networks  # noqa: E402
from pacer.presets import Size  # noqa: E402
from pacer.recipes import PACER, PACER_M  # noqa: E402
from pacer.training.statistics import Moments  # noqa: E402

SIZE = Size(hidden=(64, 64), levels=16, samples=32, batch=64, warm_up=0)
ACTORS = {
    "push-forward": PushForward(skip=0.6),
    "flow": Flow(),
    "semi-implicit": SemiImplicit(),
    "Gaussian": Gaussian(),
}
RULES = {"pacer": PACER, "pacer-m, weight 1": replace(PACER_M, weight=Fixed(1.0))}
GREEDY = ("medoid", "densest")
BLOCKS, UPDATES, SAMPLES, CHOICE = 80, 50, 4_000, 32
SEEDS = (0, 1)


def peaks(count: int, dimensions: int) -> np.ndarray:
    """Places of the peaks, evenly on a line or on a circle."""
    if dimensions == 1:
        return np.linspace(-1, 1, 2 * count + 1)[1::2, None]
    angles = 2 * math.pi * np.arange(count) / count
    return 0.7 * np.stack([np.cos(angles), np.sin(angles)], 1)


def distances(action: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.linalg.norm(action[..., None, :] - places, axis=-1)


def width(places: np.ndarray) -> float:
    return float(0.3 * np.linalg.norm(places[0] - places[1]) / 2)  # peaks do not run into each other


def reward(action: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * (distances(action, places).min(-1) / width(places)) ** 2).astype(np.float32)


def trained(recipe: Recipe, places: np.ndarray, seed: int) -> Networks:
    rng, scaling, space = np.random.default_rng(seed), Moments.empty(1).scaling(), Space(1, places.shape[1])
    state = learner.init(recipe, space, jax.random.key(seed))
    for block in range(BLOCKS):
        action = rng.uniform(-1, 1, (UPDATES, recipe.batch, space.action)).astype(np.float32)
        paid = reward(action, places)
        obs, zero = np.ones((*paid.shape, 1), np.float32), np.zeros_like(paid)
        key = jax.random.fold_in(jax.random.key(seed), block)
        state, *_ = learner.learn(recipe, state, Transition(obs, action, paid, obs, zero), scaling, key)
    return state.online


def kept(rule: str, actor: str, dimensions: int, count: int, seed: int) -> tuple[object, ...]:
    """Peaks that hold a quarter of an even share, the share of samples at any and at each; then what is earned by
    samples, the best of 32 as the critic rates them, zero noise, and the medoid and densest sample of a push-forward
    actor."""
    recipe = replace(RULES[rule], actor=ACTORS[actor], actor_optimiser=Adam(1e-3), critic_optimiser=Adam(1e-3))
    recipe, places, space = SIZE.apply(recipe), peaks(count, dimensions), Space(1, dimensions)
    networks, obs = trained(recipe, places, seed), np.ones((1, 1), np.float32)
    noise = recipe.actor.noise(jax.random.key(1), space, (SAMPLES, 1))
    action = np.asarray(recipe.actor.push(networks.actor, obs, noise))[:, 0]
    at = (distances(action, places) <= 2 * width(places)).mean(0)

    returns = recipe.critic.returns(networks.critic, np.ones((SAMPLES, 1), np.float32), action, jax.random.key(2))
    rated = np.asarray(recipe.risk.value(recipe.actor_pessimism.combine(returns, recipe.risk))).reshape(-1, CHOICE)
    best = action.reshape(-1, CHOICE, dimensions)[np.arange(len(rated)), rated.argmax(1)]
    rules = GREEDY if isinstance(recipe.actor, PushForward) else ()
    actors = (recipe.actor, *(replace(recipe.actor, greedy_rule=rule) for rule in rules))
    plays = (action, best, *(actor.greedy(networks.actor, obs, space) for actor in actors))
    earned = [round(float(reward(np.asarray(play), places).mean()), 3) for play in plays]
    return int((at >= 0.25 / count).sum()), round(at.sum(), 3), " ".join(f"{share:.3f}" for share in at), *earned


if __name__ == "__main__":
    columns = ("rule", "actor", "dimensions", "peaks", "seed", "kept", "share_at_peaks", "shares")
    columns += ("sampled", f"best_of_{CHOICE}", "zero", *GREEDY)
    fill("modes", columns, itertools.product(RULES, ACTORS, (1, 2), (2, 4, 8), SEEDS), kept)
