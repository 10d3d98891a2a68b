"""The configuration of a run, and how it is made of what a user asks for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pacer.errors import PacerError, near, option
from pacer.names import digest, label, safe
from pacer.overrides import changed, differences, plain, tidied, whole
from pacer.pieces.recipe import Recipe
from pacer.pieces.risks import Risk
from pacer.pieces.utilities import Utility
from pacer.presets import SIZES, Size, filled, for_task
from pacer.recipes import RECIPES
from pacer.runs.codec import encode

DEFAULT_RECIPE = "pacer"
PHASES = (0.1, 0.5, 1.0)  # parts of a run after which an agent is kept
LARGEST_SEED = 10**18 - 1  # with as many digits as a number in config.json may have
# Fields of a schedule that change what is written of a run, not what it learns: they are not in its label, and may
# change when it goes on.
WATCHING = ("evaluate_every", "evaluation_episodes", "checkpoint_every", "log_every", "snapshot_every", "keep_replay")


@dataclass(frozen=True)
class Schedule:
    """When things happen, in environment steps."""

    block: int = 50
    """Steps between two blocks of updates."""
    updates: int = 50
    """Updates per block."""
    warm_up: int = 1_000
    """Random actions before the policy acts; of this value, as many as the size has, and none after `start_from`."""
    learn_after: int = 1_000
    """Steps before the first update."""
    evaluate_every: int = 5_000
    evaluation_episodes: int = 10
    checkpoint_every: int = 5_000
    log_every: int = 1_000
    snapshot_every: int = 0
    """Steps between agents that are kept beside those of the run's phases, to be played, filmed, exported; 0: none."""
    replay_capacity: int = 1_000_000
    """Rows of experience that are remembered."""
    keep_replay: bool = True
    """Whether a finished run keeps its replay on disk, so that it can be extended."""

    def __post_init__(self) -> None:
        for name in (f.name for f in fields(self) if f.name != "keep_replay"):
            object.__setattr__(self, name, whole(getattr(self, name), name))  # 1e3 is a whole number
        for name in ("block", "updates", "evaluate_every", "evaluation_episodes", "checkpoint_every", "log_every"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a whole number above 0")
        for name in ("warm_up", "learn_after", "snapshot_every"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a whole number, 0 or more")
        for name in ("evaluate_every", "checkpoint_every", "log_every", "snapshot_every"):
            if getattr(self, name) % self.block:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a multiple of the block, {self.block}")
        if self.replay_capacity < max(self.block, 2):
            raise ValueError(
                f"replay_capacity is {self.replay_capacity}: expected at least a block, {self.block}, and 2"
            )


@dataclass(frozen=True)
class Config:
    """Everything a run depends on, fully resolved."""

    environment: str
    environment_options: Mapping[str, Any]
    label: str
    """What the run is called: the recipe it started from, and what was changed."""
    recipe: Recipe
    seed: int
    steps: int
    """Environment steps, in whole blocks."""
    envs: int = 1
    """Environments that are stepped in turn; together they make the steps."""
    schedule: Schedule = Schedule()
    wrappers: tuple[str, ...] = ()
    """Wrappers around the environment, innermost first, as module:Class."""
    source: str = ""
    """A digest of the code of an environment of the user's own; nothing where it is a library's."""
    start_from: str = ""
    """A digest of the agent whose networks the run began with; nothing where they were new."""

    def __post_init__(self) -> None:
        if self.steps <= 0 or self.steps % self.schedule.block:
            raise ValueError(
                f"steps is {self.steps}: expected a whole number above 0, in blocks of {self.schedule.block}"
            )
        if not 0 <= self.seed <= LARGEST_SEED:
            raise ValueError(f"seed is {self.seed}: expected a whole number from 0 to {LARGEST_SEED}")
        if self.envs < 1:
            raise ValueError(f"envs is {self.envs}: expected a whole number above 0")

    @property
    def phases(self) -> tuple[int, ...]:
        """The steps whose agents heat maps are made of."""
        block = self.schedule.block
        return tuple(-(-int(fraction * self.steps) // block) * block for fraction in PHASES)


@dataclass(frozen=True)
class _Choices:
    """What overrides reach."""

    recipe: Recipe
    schedule: Schedule


def resolve(
    env: str,
    recipe: str | Recipe = DEFAULT_RECIPE,
    *,
    steps: float = 100_000,
    seed: int = 0,
    size: str = "small",
    risk: str | Risk | None = None,
    utility: str | Utility | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    envs: int = 1,
    overrides: Mapping[str, Any] | None = None,
    schedule: Schedule | None = None,
    name: str | None = None,
    wrappers: Sequence[str] = (),
    source: str = "",
    start_from: str = "",
) -> Config:
    """The configuration that a user asks for. Pure: the command line and `pacer.train` both come here.

    Size and task fill what the recipe and the schedule leave at their defaults, also in pieces that are given by name
    (`risk="cvar:0.25"`, `{"recipe.weight": "Fixed:0.1"}`). Other overrides, such as `{"recipe.critic.levels": 64}`,
    have the last word. Steps are rounded up to whole blocks, since learning happens at their ends. A run that starts
    from an agent takes no random steps first, unless they are asked for.
    """
    env = env.removeprefix("pacer:")  # our own environments are known without an import
    origin, started = named(recipe)
    sized = _size(size)
    shaping = {key: piece for key, piece in (("recipe.risk", risk), ("recipe.utility", utility)) if piece is not None}
    if twice := sorted(shaping.keys() & dict(overrides or {}).keys()):
        raise PacerError(f"{twice[0]} is given twice, by {option(twice[0].removeprefix('recipe.'))} and by an override")
    changes = shaping | dict(overrides or {})
    sized = replace(sized, warm_up=0) if start_from else sized
    base = _suited(_Choices(started, Schedule()), sized, env)
    given = replace(base, schedule=schedule) if schedule else base
    chosen = _suited(changed(given, changes), sized, env)
    chosen = changed(chosen, {key: value for key, value in changes.items() if not isinstance(value, str)})
    block, options = chosen.schedule.block, _options(env_kwargs or {})
    told = {key.partition(".")[2]: value for key, value in differences(base, chosen).items()}
    told = {key: value for key, value in told.items() if key not in WATCHING}
    told |= {f"env.{key}": value for key, value in options.items()} | ({"envs": envs} if envs != 1 else {})
    told |= {"in": [wrapper.rpartition(":")[2] for wrapper in wrappers]} if wrappers else {}
    told |= {"from": start_from[:8]} if start_from else {}
    title = "-".join([_checked(name) if name else origin, *([size] if size != "small" else [])])
    try:
        return Config(
            environment=env,
            environment_options=options,
            label=label(title, told),
            recipe=chosen.recipe,
            seed=whole(seed, "seed", 0),
            steps=-(-whole(steps, "steps", 1) // block) * block,
            envs=whole(envs, "envs", 1),
            schedule=chosen.schedule,
            wrappers=tuple(wrappers),
            source=source,
            start_from=start_from,
        )
    except ValueError as error:
        raise PacerError(str(error)) from error


def default_folder(config: Config) -> Path:
    """Where a run lives if nothing else is said; always inside runs/."""
    environment = map(safe, config.environment.replace(":", "-").split("/"))
    return Path("runs", *environment, config.label, f"seed{config.seed}")


def named(recipe: str | Recipe) -> tuple[str, Recipe]:
    """A recipe and its name; one of the user's own is called after its content."""
    if isinstance(recipe, Recipe):
        recipe = tidied(recipe, "recipe")
        known = (name for name, (_, listed) in RECIPES.items() if listed == recipe)
        return next(known, f"custom-{digest(encode(recipe, Recipe))}"), recipe
    if not isinstance(recipe, str):
        raise PacerError(
            f"recipe is a {type(recipe).__name__}: expected a name such as {DEFAULT_RECIPE!r}, or a Recipe. "
            "RECIPES holds pairs of description and recipe: take the second"
        )
    if recipe not in RECIPES:
        raise PacerError(f"unknown recipe {recipe!r}.{near(recipe, RECIPES)} `pacer list` names them all")
    return recipe, RECIPES[recipe][1]


def _suited(choices: _Choices, size: Size, env: str) -> _Choices:
    """The choices with what size and task fill."""
    schedule = filled(choices.schedule, {"warm_up": size.warm_up})
    return _Choices(for_task(size.apply(choices.recipe), env), schedule)


def _size(name: str) -> Size:
    if name not in SIZES:
        raise PacerError(f"unknown size {name!r}: expected {' or '.join(SIZES)}")
    return SIZES[name]


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The environment's options as config.json holds them."""
    try:
        options: dict[str, Any] = json.loads(json.dumps(dict(given), default=plain, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise PacerError(
            f"the environment's options {given!r} cannot be written as JSON ({error}): "
            "use plain values, or train on a function that makes the environment"
        ) from error
    return options


def _checked(name: str) -> str:
    if safe(name) != name:
        raise PacerError(f"name is {name!r}: expected letters, digits, '.', '_', '+' and '-', since it names a folder")
    return name
