"""`pacer evaluate`: whole episodes of a trained policy, on raw rewards."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from pacer.agent import Agent
from pacer.api import load
from pacer.envs.make import maker, parse_options
from pacer.errors import PacerError
from pacer.runs.folder import load_config
from pacer.training.evaluate import MODES, evaluate
from pacer.training.world import World


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
    if chosen.seed < 0:
        raise PacerError(f"seed is {chosen.seed}: expected a whole number, 0 or more")
    agent = load(chosen.run)
    world = world_of(chosen.run, agent, chosen.env, chosen.env_kwargs)
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


def world_of(
    path: Path, agent: Agent, env: str | None, env_kwargs: str | None, render_mode: str | None = None
) -> World:
    """The world to play in: the run's, unless another is asked for."""
    name, options = environment_of(path, env)
    if env_kwargs is not None:
        options = parse_options(env_kwargs)
    world = World(maker(name, options, render_mode), name)
    if world.space != agent.space:
        raise PacerError(f"{name} has {world.space}, and the policy was trained on {agent.space}")
    return world


def environment_of(path: Path, env: str | None) -> tuple[str, dict[str, Any]]:
    """Name and options of the run's environment, or the name that is asked for."""
    run = run_of(path)
    if run is None:
        if env is None:
            raise PacerError(f"{path} does not belong to a run: name the environment with --env")
        return env, {}
    config = load_config(run)
    if env is None and ":" in config.environment:
        # Such a name would have code imported, and nothing read from a file may do that.
        raise PacerError(f"{run} was trained on {config.environment}: name its environment with --env")
    if env in (None, config.environment):
        return config.environment, dict(config.environment_options)
    return env, {}


def run_of(path: Path) -> Path | None:
    """The run folder that a run or policy path belongs to."""
    folders = (path, *path.resolve().parents[:2])
    return next((folder for folder in folders if (folder / "config.json").exists()), None)
