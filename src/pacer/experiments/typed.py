"""A cell as a user would type it."""

import json
from typing import Any

from pacer.config import Config
from pacer.experiments.experiment import Cell


def train_words(cell: Cell, config: Config, size: str) -> list[str] | None:
    """The words of `pacer train` for one run of a cell, or nothing where they cannot say it."""
    options: dict[str, Any] = {"risk": cell.risk, "utility": cell.utility, "name": cell.name}
    options |= {"env-kwargs": json.dumps(cell.env_kwargs)} if cell.env_kwargs else {}
    options |= {key.replace("_", "-"): value for key, value in cell.overrides.items()}
    given = {option: value for option, value in options.items() if value is not None}
    if not isinstance(cell.recipe, str) or not all(_sayable(value) for value in given.values()):
        return None
    words = ["train", cell.recipe, "--env", cell.env, "--steps", str(config.steps), "--seed", str(config.seed)]
    words += ["--size", size] if size != "small" else []
    for option, value in given.items():
        words += [f"--{option}", number(value)]
    return words


def number(value: Any) -> str:
    """A number, or a word, as it is typed."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() and value >= 1 else str(value)


def _sayable(value: Any) -> bool:
    """Whether the command line reads a value as it stands; flags and pieces given as objects it does not."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)
