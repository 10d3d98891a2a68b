"""The library's front door: `pacer.train` and `pacer.load`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pacer.agent import Agent
from pacer.config import DEFAULT_RECIPE, Schedule, default_folder, resolve
from pacer.envs.make import maker
from pacer.errors import PacerError
from pacer.observers import Observer
from pacer.pieces.recipe import Recipe
from pacer.pieces.risks import Risk
from pacer.pieces.utilities import Utility
from pacer.training.execute import execute
from pacer.training.stopping import Stopped
from pacer.training.world import MakeEnvironment


def train(
    env: str | MakeEnvironment,
    recipe: str | Recipe = DEFAULT_RECIPE,
    steps: float = 100_000,
    seed: int = 0,
    *,
    size: str = "small",
    risk: str | Risk | None = None,
    utility: str | Utility | None = None,
    run_dir: str | Path | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    envs: int = 1,
    env_workers: int = 0,
    step_timeout: float | None = None,
    schedule: Schedule | None = None,
    overrides: Mapping[str, Any] | None = None,
    name: str | None = None,
    observers: Sequence[Observer] = (),
) -> Agent:
    """Train on an environment, given by its id or by a function that makes it, and return the agent.

    `pacer.config.resolve` tells how the arguments become a configuration. The run lives in `run_dir` (by default
    under runs/); calling again continues or extends it. A call of the environment that takes longer than `step_timeout`
    seconds ends the run, at what it last saved.
    """
    environment = env if isinstance(env, str) else f"function:{getattr(env, '__qualname__', type(env).__name__)}"
    config = resolve(
        environment,
        recipe,
        steps=steps,
        seed=seed,
        size=size,
        risk=risk,
        utility=utility,
        env_kwargs=env_kwargs,
        envs=envs,
        overrides=overrides,
        schedule=schedule,
        name=name,
    )
    folder = Path(run_dir) if run_dir is not None else default_folder(config)
    options = config.environment_options
    make = maker(config.environment, options) if isinstance(env, str) else partial(env, **options)
    try:
        execute(config, folder, make, observers, env_workers, step_timeout)
    except Stopped as stop:
        if stop.exit_code:  # a signal's; where an observer asked for the end, the agent is wanted
            raise
    return load(folder)


def load(run: str | Path) -> Agent:
    """The agent of a run folder, or of one of its agent folders (`best`, `snapshots/<step>`)."""
    folder = Path(run)
    if (folder / "agent" / "agent.json").exists():
        folder = folder / "agent"
    if not (folder / "agent.json").exists():
        raise PacerError(f"{folder} holds no agent: expected a run folder, or an agent folder of one")
    return Agent.load(folder)
