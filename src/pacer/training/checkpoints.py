"""The state of a run on disk: a checkpoint folder, and replay files that only grow."""

import jax

from pacer.errors import PacerError
from pacer.pieces.trees import from_arrays, to_arrays
from pacer.runs.arrays import load_arrays, save_arrays
from pacer.runs.folder import RunFolder, verify_checkpoint
from pacer.training.replay import Replay
from pacer.training.state import RunState

STATE, REPLAY = "state.safetensors", "replay"


def save_checkpoint(folder: RunFolder, state: RunState, replay: Replay) -> None:
    """Everything that resuming needs; what the logs hold by now is part of it."""
    replay.save(folder.path / REPLAY, state.lanes.rows, state.lanes.going_on)
    temporary = folder.new_checkpoint()
    save_arrays(temporary / STATE, to_arrays(state))
    folder.commit_checkpoint(temporary, int(state.step))


def load_checkpoint(folder: RunFolder, like: RunState, replay: Replay) -> tuple[RunState, dict[str, int]]:
    """State of the newest checkpoint and the sizes that the logs had then; without one, `like` and empty logs."""
    if not (checkpoints := folder.checkpoints()):
        return like, {}
    log_sizes = verify_checkpoint(checkpoints[0])
    file = checkpoints[0] / STATE
    state: RunState = from_arrays(load_arrays(file), like, file)
    if not (folder.path / REPLAY).exists():
        raise PacerError(f"{folder.path} kept no replay: its run cannot be extended")
    replay.load(folder.path / REPLAY, state.lanes.rows, state.lanes.going_on)
    return state._replace(learner=jax.device_put(state.learner)), log_sizes
