"""`pacer record`: an MP4 of a trained agent, at will or in the very episode that was scored."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from pacer.api import record
from pacer.envs.make import parse_options
from pacer.training.stopping import tidying


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
    """The environment, where it is one of your own (module:Id-v0), or another than the run's."""
    env_kwargs: str | None = None
    """Its options, as JSON."""
    wrapper: tuple[str, ...] = ()
    """Its wrappers, as module:Class."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer record")
    with tidying():
        video = record(
            chosen.run,
            chosen.env,
            output=chosen.output,
            episodes=chosen.episodes,
            longest=chosen.longest,
            seed=chosen.seed,
            sampled=chosen.sampled,
            step=chosen.step,
            episode=chosen.episode,
            env_kwargs=None if chosen.env_kwargs is None else parse_options(chosen.env_kwargs),
            wrappers=chosen.wrapper or None,
            say=print,
        )
    print(f"the video is in {video}")
