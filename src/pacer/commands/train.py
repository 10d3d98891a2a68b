"""`pacer train`: a recipe, an environment, and overrides of any field of either."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from pacer.api import DEFAULT_RECIPE, default_folder, execute, known_size, suited, whole_blocks
from pacer.config import Config, Schedule
from pacer.display import Display
from pacer.envs.make import maker, parse_options
from pacer.errors import PacerError
from pacer.recipe import Recipe


@dataclass(frozen=True)
class Arguments:
    """Train an agent. A run that was stopped continues; a finished one is extended by more --steps."""

    env: str
    """Environment: any Gymnasium id with continuous actions, or module:Id-v0 for one of your own."""
    recipe: Recipe
    steps: int = 100_000
    """Environment steps, rounded up to whole blocks."""
    seed: int = 0
    size: Literal["small", "paper"] = "small"
    """Widths, levels, samples and batch: for a laptop, or as in the paper."""
    run_dir: Path | None = None
    """Where the run lives; runs/ENV/RECIPE/seedN by default."""
    env_kwargs: str = "{}"
    """Options of the environment, as JSON."""
    quiet: bool = False
    """Show nothing while training."""
    schedule: Schedule = Schedule()


def main(arguments: list[str]) -> None:
    name = DEFAULT_RECIPE
    if arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
    config, folder, quiet = parse(name, arguments)
    make = maker(config.environment, config.environment_options)
    with Display(config, quiet) as display:
        execute(config, folder, make, display)
    env = f" --env {config.environment}" if ":" in config.environment else ""
    print(
        f"\nThe run is in {folder}. Next:\n"
        f"  pacer evaluate {folder}{env}                 judge the policy again, on new episodes\n"
        f"  pacer evaluate {folder}/best{env}            the same for its best evaluation\n"
        f"  pacer train {name} --env {config.environment} --steps {2 * config.steps}   train on"
    )


def parse(name: str, arguments: list[str]) -> tuple[Config, Path, bool]:
    """The configuration that a command line asks for. What recipe, size and task imply comes first, then overrides."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--env", default="")
    first.add_argument("--size", default="small")
    known, _ = first.parse_known_args(arguments)
    recipe = suited(name, known.size, known.env)
    default = Arguments(
        env=known.env or tyro.MISSING,
        recipe=recipe,
        schedule=Schedule(warm_up=known_size(known.size).warm_up),
    )
    chosen = tyro.cli(Arguments, default=default, args=arguments, prog=f"pacer train {name}")
    if chosen.steps < 1:
        raise PacerError(f"steps is {chosen.steps}: expected a whole number above 0")
    steps = whole_blocks(chosen.steps, chosen.schedule)
    options = parse_options(chosen.env_kwargs)
    try:
        config = Config(chosen.env, options, name, chosen.recipe, chosen.seed, steps, chosen.schedule)
    except ValueError as error:
        raise PacerError(str(error)) from error
    return config, chosen.run_dir or default_folder(config), chosen.quiet
