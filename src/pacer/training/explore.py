"""How actions are chosen while experience is collected: uniformly at first, then by the policy."""

import math
from collections.abc import Callable, Iterator

import jax
import numpy as np
from numpy.typing import ArrayLike

from pacer.agent import Policy
from pacer.config import Config
from pacer.pieces.types import Array, Space
from pacer.training import seeds
from pacer.training.state import Lanes, RunState
from pacer.training.world import Vector

Explore = Callable[[Lanes, int, Vector], ArrayLike]
"""Where the lanes are, the lane whose turn it is, and what it shows, to an action."""


class Explorer:
    """The policy's noise is a function of (seed, episode, lane, step in the episode), and what exploration adds one of
    (seed, step at which the block begins), so that a run resumes exactly."""

    def __init__(self, config: Config, space: Space) -> None:
        self._config, self._space = config, space
        self._uniform = NoiseInTime(config, seeds.WARMING_UP, space.action)
        self._normal = NoiseInTime(config, seeds.ACTING, config.recipe.actor.noise_size(space))

    def choose(self, state: RunState) -> Explore:
        """How the actions of the block after this state are chosen."""
        if state.step < self._config.schedule.warm_up:
            return lambda lanes, lane, obs: uniform(self._uniform.at(lanes, lane))
        recipe = self._config.recipe
        rng = seeds.generator(self._config.seed, seeds.PERTURBING, int(state.step))
        network = jax.tree.map(np.asarray, state.learner.online.actor)
        policy = Policy(recipe.actor, self._space, network, state.scaling(recipe))

        def explore(lanes: Lanes, lane: int, obs: Vector) -> ArrayLike:
            action = recipe.exploration.perturb(policy.push(obs, self._normal.at(lanes, lane)), rng)
            return np.clip(action, -1.0, 1.0)  # the environment would: the replay must hold what was played

        return explore


class NoiseInTime:
    """The recipe's noise at any step of any episode; asked for step after step, it costs no more than drawing."""

    def __init__(self, config: Config, purpose: int, size: int) -> None:
        self._process, self._seed = config.recipe.noise, config.seed
        self._purpose, self._size = purpose, size
        self._streams: dict[int, tuple[int, int, Iterator[Array]]] = {}
        """Of each lane: episode, step that comes next, and the noise from there on."""

    def at(self, lanes: Lanes, lane: int) -> Array:
        episode, step = int(lanes.episode[lane]), int(lanes.steps[lane])
        of, upcoming, stream = self._streams.get(lane, (-1, 0, iter(())))
        if (of, upcoming) != (episode, step):
            rng = seeds.generator(self._seed, self._purpose, episode, lane)
            stream = self._process.stream(rng, self._size)
            for _ in range(step):
                next(stream)
        self._streams[lane] = episode, step + 1, stream
        return next(stream)


def uniform(noise: Array) -> Vector:
    """Standard normal noise as actions that are uniform over the box."""
    return np.array([math.erf(x / math.sqrt(2)) for x in noise], np.float32)
