"""Whether an environment repeats itself: a few steps of two episodes, each of which is played twice."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from pacer.training import seeds
from pacer.training.world import World

EPISODES, STEPS = 2, 10
PARTS = ("observation", "reward", "terminated", "truncated")


def unrepeated(world: World, seed: int) -> str | None:
    """What differs when the same actions follow the same start, and where; nothing if nothing does."""
    first, second = ([list(_play(world, seed, number)) for number in range(EPISODES)] for _ in range(2))
    for number, (once, again) in enumerate(zip(first, second, strict=True)):
        for step, (before, after) in enumerate(zip(once, again, strict=False)):
            for part, a, b in zip(PARTS, before, after, strict=False):
                if not np.array_equal(a, b):
                    return f"another {part} {f'after {step} steps' if step else 'at the start'} of episode {number}"
    return None


def _play(world: World, seed: int, number: int) -> Iterator[tuple[Any, ...]]:
    """The first observation, then what every step gave."""
    rng = seeds.generator(seed, seeds.TRIAL, number)
    yield (world.reset(seeds.integer(seed, seeds.TRIAL, number), f"trial {number} before the run"),)
    for step in range(STEPS):
        action = rng.uniform(-1.0, 1.0, world.space.action).astype(np.float32)
        obs, reward, terminated, truncated, _ = world.step(action, f"step {step + 1} of trial {number} before the run")
        yield obs, reward, terminated, truncated
        if terminated or truncated:
            return
