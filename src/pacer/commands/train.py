"""`pacer train`: a recipe, an environment, and overrides of any field of either."""

import argparse
import json
import re
import shlex
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import tyro

from pacer.agent import Agent
from pacer.api import load
from pacer.config import DEFAULT_RECIPE, Config, Schedule, default_folder, resolve
from pacer.envs.identity import identity_of
from pacer.envs.make import maker, parse_options
from pacer.errors import PacerError
from pacer.experiments.job import wear_leash
from pacer.experiments.seeds import jobs_of, train_all
from pacer.imports import IMPORTED, fetched, import_words, imported
from pacer.observers.display import Display
from pacer.observers.tracking import Tool, tracker
from pacer.overrides import differences
from pacer.pieces.recipe import Recipe
from pacer.runs.codec import members
from pacer.training.execute import execute

_PIECE = re.compile(r"(?!None$|True$|False$)[A-Z]\w*(:[^:]+)*")  # no other value begins with a capital


@dataclass(frozen=True)
class Arguments:
    """Train an agent. A run that was stopped continues; a finished one is extended by more --steps."""

    env: str
    """Environment: any Gymnasium id with continuous actions, or module:Id-v0 for one of your own."""
    recipe: Recipe
    """Fields of its pieces; another piece is chosen by its name, see above."""
    steps: Annotated[float, tyro.conf.arg(metavar="INT")] = 100_000
    """Environment steps (1e5 is fine), rounded up to whole blocks."""
    seed: int = 0
    seeds: tuple[int, ...] = ()
    """Several seeds instead, as in --seeds 0 1 2: as many runs at once, each a process of one thread."""
    size: Literal["small", "paper"] = "small"
    """Widths, levels, samples and batch: for a laptop, or as in the paper."""
    risk: str | None = None
    """Risk measure on the return: cvar:0.25, wang:0.75, cpw:0.71, power:-2, entropic:0.1, deviation:1, var:0.5."""
    utility: str | None = None
    """Utility of the reward in training: power:1.5, exponential:0.1, truncation:-1:1, combination:0.1 (action cost)."""
    name: str | None = None
    """Another name for the recipe in the run's label and folder."""
    run_dir: Path | None = None
    """Where the run lives; runs/ENV/LABEL/seedN by default, the label telling recipe and overrides."""
    env_kwargs: str = "{}"
    """Options of the environment, as JSON."""
    wrapper: tuple[str, ...] = ()
    """Wrappers around it, innermost first, as module:Class, such as gymnasium.wrappers:FlattenObservation."""
    envs: int = 1
    """Environments that are stepped in turn; together they make the steps."""
    env_workers: int = 0
    """Processes that step them, for environments that are slow; 0 steps them in this one."""
    step_timeout: float | None = None
    """Seconds that a call of the environment may take; one that takes longer ends the run, with what it had saved."""
    start_from: Path | None = None
    """A run, or an agent folder in one: begin with its networks, and with its recipe unless one is named."""
    track: Tool | None = None
    """Also tell the run's figures to TensorBoard (event files in its folder) or to Weights & Biases."""
    quiet: bool = False
    """Show nothing but warnings while training."""
    schedule: Schedule = Schedule()


def main(arguments: list[str]) -> None:
    config, chosen = parse(arguments)
    if chosen.seeds:
        if _without(arguments, "--seed") != arguments:
            raise PacerError("--seed and --seeds are both given: expected one of them")
        words = [*_without(arguments, "--seeds", "--run-dir", "--run_dir"), *import_words(IMPORTED)]
        jobs = jobs_of(config, chosen.seeds, words, chosen.run_dir)
        maker(
            config.environment, config.environment_options, wrappers=config.wrappers
        )  # refused once, not by every run
        train_all(jobs)
        folders = " ".join(str(job.folder) for job in jobs)
        print(f"Next:\n  pacer compare {folders}   # their curves, and scores with intervals")
        return
    wear_leash()
    folder = chosen.run_dir or default_folder(config)
    make = maker(config.environment, config.environment_options, wrappers=config.wrappers)
    told = [tracker(chosen.track, folder, config)] if chosen.track else []
    start = load(chosen.start_from) if chosen.start_from else None
    with Display(config, chosen.quiet) as display:
        execute(config, folder, make, [display, *told], chosen.env_workers, chosen.step_timeout, start)
    env = f" --env {config.environment}" if ":" in config.environment else ""
    if config.environment_options:
        env += f" --env-kwargs {shlex.quote(json.dumps(config.environment_options))}"
    env += f" --wrapper {' '.join(config.wrappers)}" if config.wrappers else ""
    env += "".join(f" {word}" for word in import_words(IMPORTED))
    print(
        f"\nThe run is in {folder}. Next:\n"
        f"  pacer evaluate {folder}{env}   # judge the policy again, on new episodes\n"
        f"  pacer record {folder}/best{env}   # a video of its best evaluation's policy\n"
        f"  pacer report {folder}   # a page with its curves, risk and settings\n"
        f"  the same command with --steps {2 * config.steps} trains on"
    )


def parse(arguments: list[str]) -> tuple[Config, Arguments]:
    """The configuration that a command line asks for, and the line's own choices.

    The help shows the values that recipe, size and task imply, so these are looked for first; what the whole line
    then says otherwise are overrides.
    """
    typed = ""
    if arguments and not arguments[0].startswith("-"):
        typed, *arguments = arguments
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--env", default="")
    first.add_argument("--size", default="small")
    first.add_argument("--risk")
    first.add_argument("--utility")
    first.add_argument("--start-from", "--start_from", dest="start_from")
    known, _ = first.parse_known_args(arguments)
    pieces, arguments = _pieces(arguments)
    start = load(known.start_from) if known.start_from else None
    recipe, name = _recipe(typed, start)
    digest = start.digest() if start else ""
    base = resolve(
        known.env,
        recipe,
        size=known.size,
        risk=known.risk,
        utility=known.utility,
        overrides=pieces,
        start_from=digest,
    )
    default = Arguments(env=known.env or tyro.MISSING, recipe=base.recipe, schedule=base.schedule, name=name)
    prog = f"pacer train {typed}".rstrip()
    chosen = tyro.cli(Arguments, default=default, args=arguments, prog=prog, description=_description())
    config = resolve(
        chosen.env,
        recipe,
        steps=chosen.steps,
        seed=chosen.seed,
        size=chosen.size,
        risk=chosen.risk,
        utility=chosen.utility,
        env_kwargs=parse_options(chosen.env_kwargs),
        envs=chosen.envs,
        overrides={**pieces, **differences(base, replace(base, recipe=chosen.recipe, schedule=chosen.schedule))},
        name=chosen.name,
        wrappers=chosen.wrapper,
        source=identity_of(chosen.env, chosen.wrapper),
        start_from=digest,
    )
    return config, chosen


def _description() -> str:
    """What the command does, and the pieces that there are, which the options below do not name."""
    hints = get_type_hints(Recipe)
    families = {f.name: list(members(hints[f.name])) for f in fields(Recipe) if isinstance(hints[f.name], type)}
    lines = [f"  --recipe.{name.replace('_', '-')}: {', '.join(of)}" for name, of in families.items() if len(of) > 1]
    return "\n".join(
        [f"{Arguments.__doc__}", "", "Pieces by name and numbers, as in --recipe.weight Fixed:0.1:", *lines]
    )


def _recipe(typed: str, start: Agent | None) -> tuple[str | Recipe, str | None]:
    """The recipe that a word stands for, and the name of one of the user's own: file.py:NAME or module:NAME."""
    if not typed:
        return (start.recipe if start else DEFAULT_RECIPE), None
    if ":" not in typed:
        return typed, None
    recipe: Recipe = fetched(typed, Recipe)
    source, _, name = typed.rpartition(":")
    if imported(source) not in map(imported, IMPORTED):  # what is said to do next needs its pieces, too
        IMPORTED.append(source)
    return recipe, name


def _without(arguments: list[str], *options: str) -> list[str]:
    """The words without these options and their values."""
    others: list[str] = []
    dropping = False
    for word in arguments:
        dropping = word.partition("=")[0] in options if word.startswith("--") else dropping
        others += [] if dropping else [word]
    return others


def _pieces(arguments: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Pieces that are chosen by name, and the other words."""
    pieces: dict[str, Any] = {}
    others: list[str] = []
    for word in (w for a in arguments for w in (a.split("=", 1) if a.startswith("--recipe.") else [a])):
        if others and others[-1].startswith("--recipe.") and _PIECE.fullmatch(word):
            pieces[others.pop().removeprefix("--").replace("-", "_")] = word
        else:
            others.append(word)
    return pieces, others
