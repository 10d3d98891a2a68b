"""The library's front door: `pacer.train` and `pacer.load`."""

import os
import platform
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pacer.agent import Agent
from pacer.config import Config, Schedule
from pacer.envs.make import maker
from pacer.errors import PacerError, near
from pacer.pieces.recipe import Recipe
from pacer.pieces.risks import Risk
from pacer.pieces.short_names import parse_risk, parse_utility, short_name
from pacer.pieces.utilities import Utility
from pacer.presets import SIZES, Size, for_task
from pacer.recipes import RECIPES
from pacer.runs.codec import encode
from pacer.runs.folder import RunFolder
from pacer.runtime import use_one_thread
from pacer.training.loop import Report, run
from pacer.training.world import MakeEnvironment

DEFAULT_RECIPE = "pacer-m-adaptive"


def train(
    env: str | MakeEnvironment,
    recipe: str | Recipe = DEFAULT_RECIPE,
    steps: int = 100_000,
    seed: int = 0,
    *,
    size: str = "small",
    risk: str | Risk | None = None,
    utility: str | Utility | None = None,
    run_dir: str | Path | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    schedule: Schedule | None = None,
    report: Report = lambda facts: None,
) -> Agent:
    """Train on an environment, given by its id or by a function that makes it, and return the agent.

    A recipe given by name takes the values that suit size and task; one given as a `Recipe` is used as it is.
    The run lives in `run_dir` (by default under runs/); calling again continues or extends it.
    """
    name = env if isinstance(env, str) else f"function:{getattr(env, '__name__', 'env')}"
    if isinstance(recipe, str):
        algorithm, recipe = recipe, suited(recipe, size, name)
    else:
        algorithm = "custom"
    recipe = with_risk_and_utility(recipe, risk, utility)
    algorithm = labelled(algorithm, recipe)
    schedule = schedule or Schedule(warm_up=known_size(size).warm_up)
    config = configure(name, dict(env_kwargs or {}), algorithm, recipe, seed, steps, schedule)
    folder = Path(run_dir) if run_dir is not None else default_folder(config)
    execute(config, folder, maker(name, config.environment_options) if isinstance(env, str) else env, report)
    return load(folder)


def load(run: str | Path) -> Agent:
    """The agent of a run folder, or of one of its policy folders (`best`, `snapshots/<step>`)."""
    folder = Path(run)
    if (folder / "agent" / "agent.json").exists():
        folder = folder / "agent"
    if not (folder / "agent.json").exists():
        raise PacerError(f"{folder} holds no agent: expected a run folder, or an agent folder of one")
    return Agent.load(folder)


def execute(config: Config, path: Path, make: MakeEnvironment, report: Report = lambda facts: None) -> None:
    """Run a configuration in a folder; a finished run is left as it is."""
    folder = RunFolder(path, encode(config), config.steps, use_one_thread(), _facts())
    try:
        if not folder.finished(config.steps):
            run(config, folder, make, report)
    finally:
        folder.close()


def _facts() -> dict[str, Any]:
    """What the last bits of a run depend on, besides its configuration."""
    packages = ("pacer-rl", "jax", "jaxlib", "optax", "numpy", "gymnasium", "mujoco")
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return {"versions": {p: version(p) for p in packages}, "python": platform.python_version(), "machine": machine}


def suited(name: str, size: str, environment: str) -> Recipe:
    """The named recipe in the given size, with the values that suit the environment."""
    if name not in RECIPES:
        raise PacerError(f"unknown recipe {name!r}.{near(name, RECIPES)} `pacer list` names them all")
    return for_task(known_size(size).apply(RECIPES[name][1]), environment)


def with_risk_and_utility(recipe: Recipe, risk: str | Risk | None, utility: str | Utility | None) -> Recipe:
    """The recipe with another risk measure or utility, given as a piece or as it is typed (`cvar:0.25`)."""
    changes: dict[str, Any] = {}
    if risk is not None:
        changes["risk"] = parse_risk(risk) if isinstance(risk, str) else risk
    if utility is not None:
        changes["utility"] = parse_utility(utility) if isinstance(utility, str) else utility
    try:
        return replace(recipe, **changes)
    except ValueError as error:
        raise PacerError(str(error)) from error


def known_size(name: str) -> Size:
    if name not in SIZES:
        raise PacerError(f"unknown size {name!r}: expected {' or '.join(SIZES)}")
    return SIZES[name]


def labelled(algorithm: str, recipe: Recipe) -> str:
    """The algorithm's name with its risk measure and utility, where they are not the neutral ones."""
    return "-".join([algorithm, *filter(None, (short_name(recipe.risk), short_name(recipe.utility)))])


def configure(
    environment: str,
    options: Mapping[str, Any],
    algorithm: str,
    recipe: Recipe,
    seed: int,
    steps: int,
    schedule: Schedule,
) -> Config:
    """The configuration of a run; steps are rounded up to whole blocks, since learning happens at their ends."""
    if steps < 1:
        raise PacerError(f"steps is {steps}: expected a whole number above 0")
    steps = -(-steps // schedule.block) * schedule.block
    try:
        return Config(environment, options, algorithm, recipe, seed, steps, schedule)
    except ValueError as error:
        raise PacerError(str(error)) from error


def default_folder(config: Config) -> Path:
    environment = config.environment.replace(":", "-")
    return Path("runs") / environment / config.algorithm / f"seed{config.seed}"
