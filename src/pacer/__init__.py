"""Distributional actor-critic learning in continuous control: PACER and the algorithms it is compared with.

Importing this makes its environments known to Gymnasium. What needs JAX is imported when it is first used, so that
`use_one_thread` can come before.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from pacer.envs.registration import register_environments
from pacer.errors import PacerError
from pacer.runtime import use_one_thread

if TYPE_CHECKING:
    from pacer.agent import Agent
    from pacer.api import evaluate, load, record, train
    from pacer.config import Config, Schedule, resolve
    from pacer.experiments.show import show
    from pacer.exports.folder import export
    from pacer.pieces.recipe import Recipe
    from pacer.recipes import RECIPES
    from pacer.reports.compare import compare
    from pacer.runs.reader import Run

__version__ = "0.3.0"
__all__ = [
    "RECIPES",
    "Agent",
    "Config",
    "PacerError",
    "Recipe",
    "Run",
    "Schedule",
    "compare",
    "evaluate",
    "export",
    "load",
    "record",
    "resolve",
    "show",
    "train",
    "use_one_thread",
]

_HOMES = {
    "RECIPES": "recipes",
    "Agent": "agent",
    "Config": "config",
    "Recipe": "pieces.recipe",
    "Run": "runs.reader",
    "Schedule": "config",
    "compare": "reports.compare",
    "evaluate": "api",
    "export": "exports.folder",
    "load": "api",
    "record": "api",
    "resolve": "config",
    "show": "experiments.show",
    "train": "api",
}

register_environments()


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'pacer' has no attribute {name!r}")
    return getattr(import_module(f"pacer.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
