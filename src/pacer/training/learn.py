"""A block of updates from the replay, stopped where its numbers are not finite."""

import jax
import numpy as np

from pacer import learner
from pacer.config import Config
from pacer.errors import PacerError
from pacer.training import seeds
from pacer.training.replay import Replay
from pacer.training.state import RunState


class Diverged(PacerError):
    """Learning produced numbers that are not finite; the last checkpoint is from before."""


def learn(config: Config, state: RunState, replay: Replay) -> tuple[RunState, dict[str, float]]:
    """The state after a block of updates, and their metrics. The old one is given away and cannot be used again."""
    recipe, step = config.recipe, int(state.step)
    rng = seeds.generator(config.seed, seeds.DRAWING, step)
    batches = replay.sample(state.lanes.rows, rng, config.schedule.updates, recipe.batch, recipe.discount)
    key = jax.random.key(seeds.integer(config.seed, seeds.LEARNING, step))
    learned, means, finite = learner.learn(recipe, state.learner, batches, state.scaling(), key)
    metrics = {name: float(value) for name, value in jax.device_get(means).items()}
    if not finite:
        bad = [f"{name} {value}" for name, value in metrics.items() if not np.isfinite(value)]
        raise Diverged(
            f"learning on {config.environment} diverged at step {step} "
            f"({', '.join(bad) or 'parameters that are not finite'}). The last checkpoint and agent are kept; "
            "try a smaller learning rate or reward scale, in another folder"
        )
    return state._replace(learner=learned), metrics
