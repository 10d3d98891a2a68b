"""What an experiment is: cells, each trained with several seeds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pacer.pieces.recipe import Recipe
from pacer.pieces.risks import Risk
from pacer.pieces.utilities import Utility


@dataclass(frozen=True)
class Cell:
    """One row of a table on one environment; the fields are those of `pacer.train`."""

    recipe: str | Recipe
    env: str
    name: str | None = None
    risk: str | Risk | None = None
    utility: str | Utility | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """Cells and a protocol; the defaults are the paper's."""

    about: str
    cells: tuple[Cell, ...]
    steps: float = 1_000_000
    seeds: int = 7
    """How many; they are 0, 1, 2, ..."""
    size: str = "paper"
    insight: bool = False
    """Whether the agents of every run are sampled afterwards, for heat maps and distributions of the return."""


def grid(recipes: Iterable[str | Recipe], envs: Iterable[str], **options: Any) -> tuple[Cell, ...]:
    """A cell for every recipe on every environment; `options` are further fields of each."""
    recipes = list(recipes)
    return tuple(Cell(recipe, env, **options) for env in envs for recipe in recipes)
