"""`pacer record`: an MP4 of a trained agent, at will or in the very episode that was scored."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import tyro
from numpy.typing import NDArray

from pacer.agent import Policy
from pacer.api import load
from pacer.commands.evaluate import world_for
from pacer.envs.video import choose_opengl, write_video
from pacer.errors import PacerError
from pacer.observers.events import Mode
from pacer.runs.reader import Run
from pacer.training.evaluate import LONGEST, play_episode
from pacer.training.world import World


@dataclass(frozen=True)
class Arguments:
    """Record episodes of a trained agent as an MP4 file."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder, or an agent folder in it: RUN/best, RUN/snapshots/STEP."""
    output: Path | None = None
    """The file; video.mp4 in the named folder by default."""
    episodes: int = 1
    longest: int = 1_000
    """Steps of an episode that are recorded, at most."""
    seed: int = 1_000
    """Decides the episodes' starts and the sampled noise; those of `pacer evaluate` with the same seed are the same."""
    sampled: bool = False
    """Sample actions instead of playing greedily."""
    step: int | None = None
    """Record an episode of the run's own evaluation after this many steps, the very one that was scored."""
    episode: int = 0
    """Which episode of that evaluation."""
    env: str | None = None
    """Another environment than the run's."""
    env_kwargs: str | None = None
    """Its options, as JSON."""


class Take(NamedTuple):
    """An episode to record: which it is, how much of it, and the return it was scored with, if it was."""

    number: int
    seed: int
    step: int
    longest: int
    score: float | None = None


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer record")
    if chosen.episodes < 1 or not 1 <= chosen.longest <= LONGEST:
        raise PacerError(f"{chosen.episodes} episodes of {chosen.longest} steps: expected 1 or more, 1 to {LONGEST}")
    mode: Mode = "sampled" if chosen.sampled else "greedy"
    if chosen.step is None:
        agent = load(chosen.run)
        takes = [Take(number, chosen.seed, 0, chosen.longest) for number in range(chosen.episodes)]
    else:
        agent = Run(chosen.run).agent(chosen.step)
        takes = [scored(Run(chosen.run), chosen.step, mode, chosen.episode)]
    choose_opengl()
    world = world_for(agent, chosen.run, chosen.env, chosen.env_kwargs, render_mode="rgb_array")
    try:
        frames = chain.from_iterable(film(world, agent.policy, mode, take) for take in takes)
        path = chosen.output or chosen.run / "video.mp4"
        print(f"the video is in {write_video(path, frames, world.env.metadata.get('render_fps', 30))}")
    finally:
        world.close()


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


def film(world: World, policy: Policy, mode: Mode, take: Take) -> Iterator[NDArray[np.uint8]]:
    """The pictures of an episode, from its start to its end, where its return is told."""
    before: list[NDArray[np.uint8]] = []  # the picture of what the action was chosen in

    def look() -> None:
        before.append(picture(world))

    total = 0.0
    for step in islice(play_episode(world, policy, mode, take.number, take.seed, take.step, look), take.longest):
        total += step.reward
        yield before.pop()
    yield picture(world)
    print(f"episode {take.number}: return {total:.2f}{_verdict(total, take.score)}")


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
