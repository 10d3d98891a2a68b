"""`pacer evaluate`: whole episodes of a trained policy, on raw rewards."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from pacer.api import load
from pacer.envs.make import maker, parse_options
from pacer.errors import PacerError
from pacer.evaluate import MODES, evaluate
from pacer.run_folder import load_config
from pacer.world import World


@dataclass(frozen=True)
class Arguments:
    """Judge a trained policy on new episodes, playing greedily and sampling."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder, or a policy folder in it: RUN/best, RUN/snapshots/STEP."""
    episodes: int = 10
    seed: int = 1_000
    """Decides the episodes' starts."""
    env: str | None = None
    """Another environment than the run's."""
    env_kwargs: str | None = None
    """Its options, as JSON."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer evaluate")
    if chosen.episodes < 1:
        raise PacerError(f"episodes is {chosen.episodes}: expected at least 1")
    agent = load(chosen.run)
    name, options = chosen.env, {}
    if name is None:
        config = load_config(run_of(chosen.run))
        name, options = config.environment, dict(config.environment_options)
    if chosen.env_kwargs is not None:
        options = parse_options(chosen.env_kwargs)
    world = World(maker(name, options), name)
    if world.space != agent.space:
        raise PacerError(f"{name} has {world.space}, and the policy was trained on {agent.space}")
    for mode in MODES:
        episodes = evaluate(world, agent.policy, chosen.episodes, chosen.seed, 0, [mode])
        totals = np.array([e.total for e in episodes])
        lengths = np.array([e.length for e in episodes])
        print(
            f"{mode:8} return {totals.mean():10.2f} +- {totals.std():.2f}   "
            f"lowest {totals.min():.2f}   highest {totals.max():.2f}   length {lengths.mean():.0f}   "
            f"({len(totals)} episodes)"
        )
    world.close()


def run_of(path: Path) -> Path:
    """The run folder that a run or policy path belongs to."""
    for folder in (path, *path.resolve().parents[:2]):
        if (folder / "config.json").exists():
            return folder
    raise PacerError(f"{path} does not belong to a run: name the environment with --env")
