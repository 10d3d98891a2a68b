"""Steps the world with a policy and returns blocks of transitions."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pacer import seeds
from pacer.replay import GOES_ON, TERMINATED, TRUNCATED
from pacer.types import Array, Transition
from pacer.world import World

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
            action = choose(obs)
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
        """Replay the current episode; whether the world answered exactly as it did before."""
        seen = [self._reset(position.episode)]
        for action in actions:
            obs, _, terminated, truncated = self._world.step(action)
            seen.append(obs)
            if terminated or truncated:
                break
        self._obs = seen[-1]
        return np.array_equal(np.stack(seen), observations)

    def abandon(self) -> None:
        """The next step begins a new episode."""
        self._obs = None

    def _reset(self, episode: int) -> Array:
        return self._world.reset(seeds.integer(self._seed, seeds.EPISODE, episode))


def _kind(terminated: bool, truncated: bool) -> float:
    return TERMINATED if terminated else TRUNCATED if truncated else GOES_ON
