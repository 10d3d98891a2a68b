"""Writes what the tests keep of the current format: `PYTHONPATH=. python tests/formats/store.py`, once for each."""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path

import jax
import numpy as np

from pacer.agent import Agent
from pacer.pieces import Networks, Piece, Recipe, Space
from pacer.presets import Size
from pacer.recipes import RECIPES
from pacer.training.statistics import Moments

HERE = Path(__file__).parent
KEPT = ("pacer", "pacer-m-adaptive", "dsac", "sac")
OBS = np.linspace(-1, 1, 9, dtype=np.float32).reshape(3, 3)
LOW, HIGH = np.float32([-0.5, 0.0]), np.float32([1.0, 3.0])


def numbers(agent):
    """What an agent answers; equal as long as its file means what it meant."""
    action, _ = agent.predict(OBS, deterministic=True)
    returns = agent.returns(OBS, action)
    return {"action": action.tolist(), "value": returns.value.tolist(), "mass": returns.mass.tolist()}


def classes():
    """The fields of every class that files name."""
    from pacer.config import Config, Schedule

    known, found = [Piece, Recipe, Config, Schedule], {}
    while known:
        cls = known.pop()
        known += cls.__subclasses__()
        if is_dataclass(cls) and cls.__module__.startswith("pacer."):
            found[cls.__name__] = sorted(f.name for f in fields(cls))
    return dict(sorted(found.items()))


def store(format):
    """Small agents with random networks, and their numbers."""
    size = Size(hidden=(4, 4), levels=4, samples=4, batch=16, warm_up=0)
    for number, name in enumerate(KEPT):
        recipe, space, key = size.apply(RECIPES[name][1]), Space(3, 2), jax.random.key(number)
        networks = jax.tree.map(
            lambda leaf, key=key: np.asarray(leaf + 0.3 * jax.random.normal(key, leaf.shape, leaf.dtype)),
            Networks(recipe.actor.init(key, space), recipe.critic.init(key, space)),
        )
        scaling = Moments.empty(3).fold(3 * OBS + 1).scaling()
        agent, folder = Agent(recipe, networks, scaling, LOW, HIGH), HERE / str(format) / name
        agent.save(folder)
        (folder / "numbers.json").write_text(json.dumps(numbers(agent)) + "\n")


if __name__ == "__main__":
    from pacer.runs.formats import FORMAT

    store(FORMAT)
    (HERE / "fields.json").write_text(json.dumps({"format": FORMAT, "classes": classes()}, indent=1) + "\n")
