"""`pacer record`: an MP4 of a trained policy."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from pacer.agent import Policy
from pacer.api import load
from pacer.commands.evaluate import world_for
from pacer.envs.video import choose_opengl, write_video
from pacer.errors import PacerError
from pacer.training.evaluate import LONGEST
from pacer.training.world import World


@dataclass(frozen=True)
class Arguments:
    """Record episodes of a trained policy as an MP4 file."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder, or a policy folder in it: RUN/best, RUN/snapshots/STEP."""
    output: Path | None = None
    """The file; video.mp4 in the named folder by default."""
    episodes: int = 1
    steps: int = 1_000
    """Steps of an episode that are recorded, at most."""
    seed: int = 0
    """Decides the episodes' starts and the sampled noise."""
    sampled: bool = False
    """Sample actions instead of playing greedily."""
    env: str | None = None
    """Another environment than the run's."""
    env_kwargs: str | None = None
    """Its options, as JSON."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer record")
    if chosen.episodes < 1 or not 1 <= chosen.steps <= LONGEST:
        raise PacerError(f"{chosen.episodes} episodes of {chosen.steps} steps: expected 1 or more, 1 to {LONGEST}")
    agent = load(chosen.run)
    choose_opengl()
    world = world_for(agent, chosen.run, chosen.env, chosen.env_kwargs, render_mode="rgb_array")
    path = chosen.output or chosen.run / "video.mp4"
    try:
        frames = film(world, agent.policy, chosen)
        print(f"the video is in {write_video(path, frames, world.env.metadata.get('render_fps', 30))}")
    finally:
        world.close()


def picture(world: World) -> Any:
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


def film(world: World, policy: Policy, chosen: Arguments) -> Iterator[Any]:
    """The pictures of the episodes, one after the other, telling the return of each at its end."""
    rng = np.random.default_rng(chosen.seed)
    for number in range(chosen.episodes):
        obs, total = world.reset(chosen.seed + number), 0.0
        yield picture(world)
        for _ in range(chosen.steps):
            action = policy.sampled(obs, rng) if chosen.sampled else policy.greedy(obs)
            obs, reward, terminated, truncated = world.step(action)
            total += reward
            yield picture(world)
            if terminated or truncated:
                break
        print(f"episode {number + 1}: return {total:.2f}")
