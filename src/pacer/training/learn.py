"""A block of updates from the replay, of one run or of several in step; stopped where its numbers are not finite."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from pacer import learner
from pacer.config import Config
from pacer.errors import PacerError
from pacer.learner import TrainState
from pacer.pieces.types import Array, Transition
from pacer.training import seeds
from pacer.training.replay import Replay
from pacer.training.state import RunState


class Diverged(PacerError):
    """Learning produced numbers that are not finite; the last checkpoint is from before."""


class Learned(NamedTuple):
    """What a block of updates gave."""

    learner: TrainState
    metrics: dict[str, Any]
    finite: Any


def learn(config: Config, state: RunState, replay: Replay) -> Learned:
    """A block of updates. The old learner is given away and cannot be used again."""
    batches, key = draw(config, state, replay)
    return Learned(*learner.learn(config.recipe, state.learner, batches, state.scaling(config.recipe), key))


def learn_together(runs: Sequence[tuple[Config, RunState, Replay]], width: int) -> list[Learned]:
    """The same for several runs that differ in their seeds alone and are at the same step: one block, mapped over them.

    It is compiled for `width` runs: where there are fewer, the first stands in for those that lack.
    """
    if width == 1:
        return [learn(*runs[0])]  # the very block of a run alone
    rows = [(run[1].learner, run[1].scaling(run[0].recipe), *draw(*run)) for run in runs]
    rows += rows[:1] * (width - len(rows))
    states, scalings, batches, keys = jax.tree.map(lambda *parts: jnp.stack(parts), *rows)
    states = states._replace(updates=rows[0][0].updates)
    states, metrics, finite = learner.learn_together(runs[0][0].recipe, states, batches, scalings, keys)
    counted = states._replace(updates=jnp.broadcast_to(states.updates, (width,)))
    return [Learned(*jax.tree.map(lambda part, k=k: part[k], (counted, metrics, finite))) for k in range(len(runs))]


def draw(config: Config, state: RunState, replay: Replay) -> tuple[Transition, Array]:
    """The batches of the next block, and the key of its random numbers."""
    recipe, step = config.recipe, int(state.step)
    rng = seeds.generator(config.seed, seeds.DRAWING, step)
    rows, updates = state.lanes.rows, config.schedule.updates
    batches = replay.sample(rows, rng, updates, recipe.batch, recipe.discount, recipe.return_steps)
    return batches, jax.random.key(seeds.integer(config.seed, seeds.LEARNING, step))


def accept(config: Config, state: RunState, learned: Learned) -> tuple[RunState, dict[str, float]]:
    """The state after a block of updates, and their metrics."""
    metrics = {name: float(value) for name, value in jax.device_get(learned.metrics).items()}
    if not learned.finite:
        bad = [f"{name} {value}" for name, value in metrics.items() if not np.isfinite(value)]
        raise Diverged(
            f"learning on {config.environment} diverged at step {int(state.step)} "
            f"({', '.join(bad) or 'parameters that are not finite'}). Checkpoints and agents from before are kept; "
            "try a smaller learning rate, in another folder"
        )
    return state._replace(learner=learned.learner), metrics
