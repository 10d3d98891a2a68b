"""Episodes as they are played: in many worlds to learn from, in one to be judged or filmed."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pacer.training.measures import Numbers
from pacer.training.world import Vector
from pacer.training.worlds import Worlds

Begin = Callable[[int], tuple[int, str]]
"""World to the seed of its next episode, and what messages call that episode."""
Choose = Callable[[int, Vector], ArrayLike]
"""World and what it shows to an action."""


class Step(NamedTuple):
    """What happened in one step, and in which of the worlds."""

    world: int
    obs: Vector
    action: Vector
    next_obs: Vector
    reward: float
    terminated: bool
    truncated: bool
    measured: Numbers

    @property
    def ended(self) -> bool:
        return self.terminated or self.truncated


class Stage:
    """Worlds, and what each shows now; nothing where the next step begins an episode."""

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds
        self.shown: dict[int, Vector] = {}
        self.episodes: dict[int, str] = {}
        """What messages call them."""


def play(stage: Stage, steps: range, begin: Begin, choose: Choose) -> Iterator[Step]:
    """Steps in their order, episode after episode; step t is taken in world t % count.

    As many steps are taken at once as there are worlds. Their actions are chosen in order all the same, so that
    nothing depends on where the worlds are.
    """
    count = stage.worlds.count
    for first in range(steps.start, steps.stop, count):
        turn = {t % count: t for t in range(first, min(first + count, steps.stop))}
        _begin_episodes(stage, turn, begin)
        seen = {world: stage.shown.pop(world) for world in turn}
        # In float32, which is exactly what the replay will hold.
        actions = {world: np.asarray(choose(world, obs), np.float32) for world, obs in seen.items()}
        calls = [(w, "step", (actions[w], f"step {t + 1} of {stage.episodes[w]}")) for w, t in turn.items()]
        for world, answer in zip(turn, stage.worlds.call(calls), strict=True):
            step = Step(world, seen[world], actions[world], *answer)
            if not step.ended:
                stage.shown[world] = step.next_obs
            yield step


def _begin_episodes(stage: Stage, turn: dict[int, int], begin: Begin) -> None:
    fresh = {world: begin(world) for world in turn if world not in stage.shown}
    stage.episodes |= {world: episode for world, (_, episode) in fresh.items()}
    calls = [(w, "reset", (seed, f"step {turn[w]} of {episode}")) for w, (seed, episode) in fresh.items()]
    stage.shown |= dict(zip(fresh, stage.worlds.call(calls), strict=True))
