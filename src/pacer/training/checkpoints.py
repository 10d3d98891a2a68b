"""The state of a run on disk: a checkpoint folder, and replay files that only grow."""

import math

import jax

from pacer.agent import Agent, spaces
from pacer.errors import PacerError, option
from pacer.pieces.trees import from_arrays, kinds, to_arrays
from pacer.runs.arrays import load_arrays, save_arrays
from pacer.runs.checkpoints import REPLAY, Found
from pacer.runs.folder import RunFolder
from pacer.training.replay import Replay
from pacer.training.state import RunState
from pacer.training.world import World

STATE = "state.safetensors"


def check_spaces(folder: RunFolder, world: World) -> None:
    """Refuse to go on where the name of the environment stands for another one than it did."""
    try:
        agent = Agent.load(folder.path / "agent")
    except PacerError:  # none yet; or a damaged one, which is no reason not to go on from a checkpoint
        return
    now, before = (spaces(each.space, each.low, each.high) for each in (world, agent))
    if now != before:
        raise PacerError(
            f"{world.name} has now {now}, and the run in {folder.path} was trained on {before}: "
            f"mend the environment, or train anew in another folder with {option('run-dir')}"
        )


def save_checkpoint(folder: RunFolder, state: RunState, replay: Replay) -> None:
    """Everything that resuming needs; what the logs hold by now is part of it."""
    kept = replay.save(folder.path / REPLAY, state.lanes.rows, state.lanes.going_on)
    temporary = folder.new_checkpoint()
    save_arrays(temporary / STATE, to_arrays(state))
    folder.commit_checkpoint(temporary, int(state.step), kept)


def load_checkpoint(folder: RunFolder, like: RunState, replay: Replay) -> tuple[RunState, Found | None]:
    """State of the newest checkpoint that is whole, and where it is; without any, `like`."""
    if (found := folder.find_checkpoint()) is None:
        return like, None
    arrays = load_arrays(found.folder / STATE, kinds(like), most=math.inf)  # as large as the run is in memory
    state: RunState = from_arrays(arrays, like)
    replay.load(folder.path / REPLAY, state.lanes.rows, state.lanes.going_on)
    return state._replace(learner=jax.device_put(state.learner)), found
