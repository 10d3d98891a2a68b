"""`pacer train`: a recipe, an environment, and overrides of any field of either."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from pacer.api import (
    DEFAULT_RECIPE,
    configure,
    default_folder,
    execute,
    known_size,
    labelled,
    suited,
    with_risk_and_utility,
)
from pacer.config import Config, Schedule
from pacer.envs.make import maker, parse_options
from pacer.observers.display import Display
from pacer.pieces.recipe import Recipe


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
    risk: str | None = None
    """Risk measure on the return: cvar:0.25, wang:0.75, cpw:0.71, power:-2, entropic:0.1, deviation:1, var:0.5."""
    utility: str | None = None
    """Utility of the reward in training: power:1.5, exponential:0.1, truncation:-1:1, combination:0.1 (action cost)."""
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
        f"  pacer evaluate {folder}{env}   # judge the policy again, on new episodes\n"
        f"  pacer record {folder}/best{env}   # a video of its best evaluation's policy\n"
        f"  the same command with --steps {2 * config.steps} trains on"
    )


def parse(name: str, arguments: list[str]) -> tuple[Config, Path, bool]:
    """The configuration that a command line asks for. What recipe, size and task imply comes first, then overrides."""
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--env", default="")
    first.add_argument("--size", default="small")
    first.add_argument("--risk")
    first.add_argument("--utility")
    known, _ = first.parse_known_args(arguments)
    recipe = with_risk_and_utility(suited(name, known.size, known.env), known.risk, known.utility)
    default = Arguments(
        env=known.env or tyro.MISSING,
        recipe=recipe,
        schedule=Schedule(warm_up=known_size(known.size).warm_up),
    )
    chosen = tyro.cli(Arguments, default=default, args=arguments, prog=f"pacer train {name}")
    options, algorithm = parse_options(chosen.env_kwargs), labelled(name, chosen.recipe)
    config = configure(chosen.env, options, algorithm, chosen.recipe, chosen.seed, chosen.steps, chosen.schedule)
    return config, chosen.run_dir or default_folder(config), chosen.quiet
