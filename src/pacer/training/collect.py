"""A block of experience: steps are taken and written straight into the replay."""

from typing import NamedTuple

import jax
import numpy as np

from pacer.agent import Policy
from pacer.config import Config
from pacer.pieces.types import Space
from pacer.training import seeds
from pacer.training.play import Choose, Stage, play
from pacer.training.replay import Replay
from pacer.training.state import Lanes, RunState
from pacer.training.world import Vector
from pacer.training.worlds import Call, Worlds


class Collected(NamedTuple):
    """Where the lanes are after a block, the observations in it, and the returns of the episodes that ended."""

    lanes: Lanes
    observations: Vector
    returns: list[float]


def explore(config: Config, state: RunState, space: Space) -> Choose:
    """How a block's actions are chosen: at random at first, then by the policy and the recipe's exploration."""
    rng = seeds.generator(config.seed, seeds.ACTING, int(state.step))
    if state.step < config.schedule.warm_up:
        return lambda obs: rng.uniform(-1.0, 1.0, space.action).astype(np.float32)
    network = jax.tree.map(np.asarray, state.learner.online.actor)
    policy = Policy(config.recipe.actor, space, network, state.moments.scaling())
    return lambda obs: config.recipe.exploration.perturb(policy.sampled(obs, rng), rng)


class Collector:
    """Episode n of a lane always starts from the seed (run seed, n, lane)."""

    def __init__(self, worlds: Worlds, replay: Replay, seed: int, name: str) -> None:
        self._stage = Stage(worlds)
        self._name = name
        self._replay = replay
        self._seed = seed

    def collect(self, lanes: Lanes, steps: range, choose: Choose) -> Collected:
        """These steps of the run. `lanes` stays as it is, and so do the rows that it counts."""
        lanes = lanes.copy()
        observations = np.empty((len(steps), self._replay.space.observation), np.float32)
        returns: list[float] = []
        played = play(self._stage, steps, lambda lane: self._episode(lanes, lane), choose)
        for number, step in enumerate(played):
            lane = step.world
            observations[number] = step.obs
            lanes.rows[lane] = self._replay.add(lane, lanes.rows[lane], step)
            lanes.steps[lane] += 1
            lanes.total[lane] += step.reward
            if step.ended:
                returns.append(float(lanes.total[lane]))
                lanes.begin_next(lane)
        return Collected(lanes, observations, returns)

    def restore(self, lanes: Lanes) -> tuple[Lanes, list[str]]:
        """Bring every world to where its lane is; where that cannot be, a new episode begins, and why is said."""
        lanes = lanes.copy()
        going_on = [int(lane) for lane in np.flatnonzero(lanes.going_on)]
        known = [lane for lane in going_on if lanes.steps[lane] <= self._replay.capacity]
        answers = self._stage.worlds.call([self._repetition(lanes, lane) for lane in known])
        self._stage.shown |= {lane: obs for lane, obs in zip(known, answers, strict=True) if obs is not None}
        problems = []
        for lane in (lane for lane in going_on if lane not in self._stage.shown):
            long = f"the current episode of {lanes.steps[lane]} steps is longer than the replay"
            problems.append(f"{self._name} is not reproducible" if lane in known else long)
            lanes.rows[lane] += 1  # the observation that the episode stopped at stays, as its last
            lanes.begin_next(lane)
        return lanes, problems

    def _repetition(self, lanes: Lanes, lane: int) -> Call:
        seed, self._stage.episodes[lane] = self._episode(lanes, lane)
        past = self._replay.tail(lane, lanes.rows[lane], lanes.steps[lane])
        where = f"the repetition of {self._stage.episodes[lane]}"
        return lane, "repeat", (seed, *past, float(lanes.total[lane]), where)

    def _episode(self, lanes: Lanes, lane: int) -> tuple[int, str]:
        """Seed of the lane's current episode, and what messages call it."""
        number = int(lanes.episode[lane])
        of = f"environment {lane}, " if len(lanes.episode) > 1 else ""
        # A last zero changes no seed: lane 0 has the episodes of a run with one environment.
        return seeds.integer(self._seed, seeds.EPISODE, number, lane), f"training ({of}episode {number})"
