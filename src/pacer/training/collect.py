"""Steps the world with a policy and returns blocks of transitions."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pacer.pieces.types import Array, Transition
from pacer.training import seeds
from pacer.training.replay import GOES_ON, TERMINATED, TRUNCATED
from pacer.training.world import World

Choose = Callable[[Array], Array]


class Position(NamedTuple):
    """Where the run is: episode number, steps and return of that episode so far."""

    episode: int = 0
    steps: int = 0
    total: float = 0.0


class Block(NamedTuple):
    """Consecutive steps, how each ended, and the returns of the episodes that ended among them."""

    transitions: Transition
    kinds: Array
    returns: list[float]


class Collector:
    """Episode n always starts from the seed (run seed, n)."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._seed = seed
        self._obs: Array | None = None

    def run(self, position: Position, steps: int, choose: Choose) -> tuple[Block, Position]:
        """`steps` steps from `position`, into as many episodes as it takes."""
        episode, length, total = position
        rows: list[tuple[Array, Array, float, Array, float]] = []
        returns: list[float] = []
        for _ in range(steps):
            obs = self._reset(episode) if self._obs is None else self._obs
            action = np.asarray(choose(obs), np.float32)  # exactly what the replay will hold
            next_obs, reward, terminated, truncated = self._world.step(action)
            rows.append((obs, action, reward, next_obs, _kind(terminated, truncated)))
            self._obs, length, total = next_obs, length + 1, total + reward
            if terminated or truncated:
                returns.append(total)
                self._obs, episode, length, total = None, episode + 1, 0, 0.0
        obs_rows, actions, rewards, next_rows, kinds = (np.asarray(x, np.float32) for x in zip(*rows, strict=True))
        transitions = Transition(obs_rows, actions, rewards, next_rows, np.zeros(steps, np.float32))
        return Block(transitions, kinds, returns), Position(episode, length, total)

    def restore(self, position: Position, observations: Array, actions: Array) -> bool:
        """Replay the current episode; if the world answers otherwise than before, the next step begins a new one."""
        obs = self._reset(position.episode)
        same = np.array_equal(obs, observations[0])
        for action, expected in zip(actions, observations[1:], strict=True):
            if not same:
                break
            obs, _, terminated, truncated = self._world.step(action)
            same = np.array_equal(obs, expected) and not (terminated or truncated)
        self._obs = obs if same else None
        return same

    def _reset(self, episode: int) -> Array:
        seed = seeds.integer(self._seed, seeds.EPISODE, episode)
        return self._world.reset(seed, f"training (episode {episode})")


def _kind(terminated: bool, truncated: bool) -> float:
    return TERMINATED if terminated else TRUNCATED if truncated else GOES_ON
