"""A block of experience: steps are taken and written straight into the replay."""

import numpy as np
from numpy.typing import NDArray

from pacer.config import Config
from pacer.errors import PacerError
from pacer.pieces.recipe import Recipe
from pacer.pieces.types import Transition
from pacer.pieces.utilities import Identity
from pacer.training import seeds
from pacer.training.explore import Explore
from pacer.training.play import Stage, Step, play
from pacer.training.replay import Replay
from pacer.training.state import Collected, Lanes
from pacer.training.worlds import Call, Worlds


class Collector:
    """Episode n of a lane always starts from the seed (run seed, n, lane)."""

    def __init__(self, worlds: Worlds, replay: Replay, config: Config) -> None:
        self._stage = Stage(worlds)
        self._replay = replay
        self._name, self._seed, self._recipe = config.environment, config.seed, config.recipe

    def collect(self, lanes: Lanes, steps: range, explore: Explore) -> Collected:
        """These steps of the run. `lanes` stays as it is, and so do the rows that it counts."""
        lanes = lanes.copy()
        returns: list[float] = []
        taken: list[Step] = []
        played = play(
            self._stage, steps, lambda lane: self._episode(lanes, lane), lambda lane, obs: explore(lanes, lane, obs)
        )
        for step in played:
            lane = step.world
            lanes.rows[lane] = self._replay.add(lane, lanes.rows[lane], step)
            lanes.steps[lane] += 1
            lanes.total[lane] += step.reward
            if step.ended:
                returns.append(float(lanes.total[lane]))
                lanes.begin_next(lane)
            taken.append(step)
        plain = not self._recipe.return_units and self._recipe.utility == Identity()
        worth = np.empty(0) if plain else utilities(self._recipe, taken)
        rewards = worth if self._recipe.return_units else np.empty(0)
        return Collected(lanes, np.stack([step.obs for step in taken]), rewards, returns)

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


def utilities(recipe: Recipe, steps: list[Step]) -> NDArray[np.float64]:
    """What the rewards of these steps are worth in training, before they are divided by a unit."""
    obs, action, next_obs, reward = (
        np.asarray([getattr(step, part) for step in steps], np.float32)
        for part in ("obs", "action", "next_obs", "reward")
    )
    going_on = np.asarray([not step.terminated for step in steps], np.float32)
    rows = Transition(obs, action, reward, next_obs, recipe.discount * going_on)
    with np.errstate(all="ignore"):
        worth = np.asarray(recipe.utility.shape(rows), np.float64)
    if len(bad := np.flatnonzero(~np.isfinite(worth))):
        raise PacerError(
            f"{recipe.utility} of the reward {reward[bad[0]]:g} is {worth[bad[0]]:g}: choose another number for the "
            "utility, or an environment with smaller rewards. What was learned so far is kept"
        )
    return worth
