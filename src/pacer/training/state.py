"""The state of a run between two blocks: one value, saved and loaded as the arrays it is made of."""

from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from pacer import learner
from pacer.agent import Agent
from pacer.config import Config
from pacer.errors import PacerError
from pacer.learner import TrainState
from pacer.pieces.recipe import Recipe
from pacer.pieces.scaling import Scaling
from pacer.pieces.trees import from_arrays, kinds, to_arrays
from pacer.pieces.types import Space
from pacer.runs.arrays import check_kinds
from pacer.training import seeds
from pacer.training.statistics import Moments

REMEMBERED = 10_000  # rows that the statistics of an agent to start from count for
# Rewards of about 1 are what the usual learning rates were found with. A unit stays until it is off by this factor:
# rewards that shrink from block to block while a policy improves hold it back.
LEEWAY = 32.0
RECENT = 10  # episodes in the training return that is shown

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Lanes(NamedTuple):
    """Where each environment is: the number of its episode, steps and return of that so far, rows in its replay."""

    episode: Integers
    steps: Integers
    total: Floats
    rows: Integers

    @staticmethod
    def empty(count: int) -> "Lanes":
        whole = np.zeros(count, np.int64)
        return Lanes(whole, whole.copy(), np.zeros(count), whole.copy())

    def copy(self) -> "Lanes":
        copied: Any = map(np.copy, self)
        return Lanes(*copied)

    @property
    def going_on(self) -> NDArray[np.bool_]:
        """Whether an episode goes on, or the next step begins one."""
        return self.steps > 0

    def begin_next(self, lane: int) -> None:
        """Go on to the next episode of this lane."""
        self.episode[lane] += 1
        self.steps[lane] = self.total[lane] = 0


class Collected(NamedTuple):
    """A block of experience: where the lanes are after it, and what it adds to the running statistics."""

    lanes: Lanes
    observations: NDArray[np.float32]
    rewards: Floats
    """Utilities of the steps, for recipes that measure rewards by their size; else empty."""
    returns: list[float]
    """Of the episodes that ended."""


class RunState(NamedTuple):
    """All that changes from block to block; every leaf is an array."""

    learner: TrainState
    moments: Moments
    """Of the observations."""
    rewards: Moments
    """Of their utilities, in recipes that measure rewards by their size; else empty."""
    unit: Floats
    """What rewards are divided by: in recipes with `return_units` their usual size, else 1."""
    lanes: Lanes
    step: Integers
    evaluation_due: NDArray[np.bool_]
    """Whether the evaluation of this step is still to come."""
    best: Floats
    """Mean greedy return of the best evaluation so far."""
    recent: Floats
    """Returns of the latest training episodes, newest last; nan before there were as many."""

    def after(self, block: Collected, recipe: Recipe) -> "RunState":
        """The state after a block of steps, before anything was learned from it."""
        state = self._replace(
            moments=self.moments.fold(block.observations),
            rewards=self.rewards.fold(block.rewards[:, None]) if len(block.rewards) else self.rewards,
            lanes=block.lanes,
            step=self.step + len(block.observations),
            recent=np.append(self.recent, block.returns)[-RECENT:],
        )
        return state._in_unit(recipe, measured=bool(self.rewards.size()[0])) if recipe.return_units else state

    def _in_unit(self, recipe: Recipe, measured: bool) -> "RunState":
        """The state with the unit of reward that its rewards ask for; the first is `measured` by the first reward."""
        size = float(self.rewards.size()[0])
        # What the critic knows is in the old unit; an agent to start from counts as rows that were seen before.
        knows = bool(self.learner.updates > 0 or self.moments.seen > self.step)
        if not size or (knows and measured and 1 / LEEWAY <= size / self.unit <= LEEWAY):
            return self
        unit = np.array(size)
        learned = _retold(recipe, self.learner, self.unit / unit) if knows else self.learner
        return self._replace(unit=unit, learner=learned)

    def scaling(self, recipe: Recipe) -> Scaling:
        """How the networks see observations and rewards."""
        scaling = self.moments.scaling(float(self.unit))
        return scaling if recipe.normalise_observations else scaling.raw()

    @property
    def train_return(self) -> float:
        """Mean return of the latest training episodes; nan before the first has ended."""
        known = self.recent[~np.isnan(self.recent)]
        return float(known.mean()) if known.size else float("nan")


def initial_state(config: Config, space: Space, start: Agent | None = None) -> RunState:
    """The state before the first step, with new networks or with those of an agent."""
    if start is not None and start.space != space:
        raise PacerError(f"the run is in {space}, and the agent to start from was trained in {start.space}")
    state = RunState(
        learner=learner.init(config.recipe, space, jax.random.key(seeds.integer(config.seed, seeds.INITIAL))),
        moments=Moments.empty(space.observation),
        rewards=Moments.empty(1),
        unit=np.ones(()),
        lanes=Lanes.empty(config.envs),
        step=np.array(0),
        evaluation_due=np.array(False),
        best=np.array(-np.inf),
        recent=np.full(RECENT, np.nan),
    )
    return state if start is None else _begun_with(state, start, config.recipe)


def _begun_with(state: RunState, start: Agent, recipe: Recipe) -> RunState:
    """The state with an agent's networks, and with its view of observations and rewards for a while."""
    if recipe.normalise_observations != start.recipe.normalise_observations:
        raise PacerError(
            f"the run has normalise_observations {recipe.normalise_observations}, and the agent to start from "
            f"{start.recipe.normalise_observations}: its networks know observations in that form alone"
        )
    given = to_arrays(start.networks)
    try:
        check_kinds("the agent to start from", kinds(given), kinds(state.learner.online))
    except PacerError as error:
        told = "a run begins with networks of its own recipe and sizes: name no recipe, and the agent's is taken"
        raise PacerError(f"{error}; {told}") from error
    online, target = (jax.device_put(from_arrays(given, state.learner.online)) for _ in range(2))
    begun = state.learner._replace(online=online, target=target)
    scaling, unit = start.scaling, np.asarray(start.scaling.unit, np.float64)
    moments = Moments.of(scaling.mean, 1.0 / np.asarray(scaling.inverse_deviation, np.float64), REMEMBERED)
    state = state._replace(learner=begun, moments=moments)
    if not recipe.return_units:  # what the critic knows is told in rewards as they are
        return state._replace(learner=_retold(recipe, begun, unit)) if unit != 1 else state
    if start.recipe.return_units:
        state = state._replace(rewards=Moments.of(np.zeros(1), unit[None], 1), unit=unit)
    return state


def _retold(recipe: Recipe, known: TrainState, factor: Floats) -> TrainState:
    """What is known, with returns `factor` times as large. A weight that has not moved yet is told by its size."""
    retold = learner.rescaled(recipe, known, np.float32(factor))
    return retold if known.updates > 0 else retold._replace(weight=known.weight)
