"""Distributional actor-critic learning in continuous control: PACER and the algorithms it is compared with."""

from pacer.envs.registration import register_with_gymnasium

TYPE_CHECKING = False  # as in `typing`, whose import would be half of the time this module takes
if TYPE_CHECKING:
    from pacer.agent import Agent
    from pacer.api import load, train
    from pacer.config import Config, Schedule
    from pacer.errors import PacerError
    from pacer.pieces.recipe import Recipe
    from pacer.recipes import RECIPES

__all__ = ["RECIPES", "Agent", "Config", "PacerError", "Recipe", "Schedule", "load", "train"]

_HOMES = {
    "RECIPES": "recipes",
    "Agent": "agent",
    "Config": "config",
    "PacerError": "errors",
    "Recipe": "pieces.recipe",
    "Schedule": "config",
    "load": "api",
    "train": "api",
}

register_with_gymnasium()


def __getattr__(name: str) -> object:
    # Importing JAX takes a second: it waits until something needs it.
    if name not in _HOMES:
        raise AttributeError(f"module 'pacer' has no attribute {name!r}")
    from importlib import import_module

    from pacer.runtime import use_one_thread

    use_one_thread()
    return getattr(import_module(f"pacer.{_HOMES[name]}"), name)
