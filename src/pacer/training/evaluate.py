"""Judges a policy: whole episodes on raw rewards, in an environment of its own."""

from collections.abc import Iterable

import numpy as np

from pacer.agent import Policy
from pacer.observers.events import Episode, Mode
from pacer.training import seeds
from pacer.training.world import World

MODES: tuple[Mode, ...] = ("greedy", "sampled")
LONGEST = 10_000  # steps after which an episode without an end is cut


def evaluate(
    world: World, policy: Policy, episodes: int, seed: int, step: int, modes: Iterable[Mode] = MODES
) -> list[Episode]:
    """Episodes whose starts depend on (seed, step, number) alone, so both modes meet the same ones."""
    return [_episode(world, policy, mode, number, seed, step) for mode in modes for number in range(episodes)]


def mean_return(episodes: Iterable[Episode], mode: Mode) -> float:
    return float(np.mean([e.total for e in episodes if e.mode == mode]))


def _episode(world: World, policy: Policy, mode: Mode, number: int, seed: int, step: int) -> Episode:
    rng = seeds.generator(seed, seeds.EVALUATION, step, number)
    after = f", after {step} steps of training" if step else ""
    world.steps = 0
    obs = world.reset(seeds.integer(seed, seeds.EVALUATION, step, number), f"{mode} evaluation episode {number}{after}")
    total = 0.0
    for length in range(1, LONGEST + 1):  # noqa: B007
        obs, reward, terminated, truncated = world.step(
            policy.greedy(obs) if mode == "greedy" else policy.sampled(obs, rng)
        )
        total += reward
        if terminated or truncated:
            break
    return Episode(mode, number, total, length)
