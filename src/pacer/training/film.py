"""Episodes as pictures: at will, or the very ones that a run scored."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pacer.agent import Policy
from pacer.errors import PacerError
from pacer.observers.events import Mode
from pacer.runs.reader import Run
from pacer.training.evaluate import play_episode
from pacer.training.world import LONGEST, World


class Take(NamedTuple):
    """An episode to record: which it is, how much of it, and the return it was scored with, if it was."""

    number: int
    seed: int
    step: int
    longest: int
    score: float | None = None


def scored(run: Run, step: int, mode: Mode, number: int) -> Take:
    """An episode that the run scored itself."""
    log = run.evaluations()
    known = (log["step"] == step) & (log["mode"] == mode)
    if not (known & (log["episode"] == number)).any():
        steps = ", ".join(str(s) for s in run.agents() if s in log["step"])
        raise PacerError(
            f"{run.path} scored {known.sum()} {mode} episodes at step {step}, and number {number} (from 0) is none of "
            f"them. Steps that were scored and whose agent is there: {steps or 'none'}"
        )
    score = float(log["return"][known & (log["episode"] == number)][0])
    return Take(number, run.config.seed, step, LONGEST, score)


def film(
    world: World, policy: Policy, mode: Mode, take: Take, say: Callable[[str], object]
) -> Iterator[NDArray[np.uint8]]:
    """The pictures of an episode, from its start to its end, where its return is said."""
    before: list[NDArray[np.uint8]] = []  # the picture of what the action was chosen in

    def look() -> None:
        before.append(picture(world))

    total = 0.0
    for step in islice(play_episode(world, policy, mode, take.number, take.seed, take.step, look), take.longest):
        total += step.reward
        yield before.pop()
    yield picture(world)
    say(f"episode {take.number}: return {total:.2f}{_verdict(total, take.score)}")


def _verdict(total: float, score: float | None) -> str:
    if score is None:
        return ""
    if total == score:
        return ", as it was scored"
    return f", but it was scored {score:.2f}: this environment is another, or not reproducible"


def picture(world: World) -> NDArray[np.uint8]:
    try:
        frame = world.env.render()
    except PacerError:
        raise
    except Exception as error:
        raise PacerError(
            f"{world.name} could not be drawn: {error}. pip install 'pacer-rl[video]' brings what most need"
        ) from error
    if not isinstance(frame, np.ndarray):
        raise PacerError(f"{world.name} draws no pictures: expected an array from render()")
    return frame
