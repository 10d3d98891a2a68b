"""`pacer evaluate`: whole episodes of a trained agent, on raw rewards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro

from pacer.agent import Agent
from pacer.api import load
from pacer.envs.make import maker, parse_options
from pacer.errors import PacerError
from pacer.observers.events import Episode
from pacer.reports.statistics import cvar
from pacer.runs.reader import NoRun, Run
from pacer.training.evaluate import MODES, evaluate
from pacer.training.world import World

QUANTILES = (0.1, 0.5, 0.9)
TAIL = 0.1  # of CVaR: the mean of this share of the episodes, the worst


@dataclass(frozen=True)
class Arguments:
    """Judge a trained agent on new episodes, playing greedily and sampling."""

    run: Annotated[Path, tyro.conf.Positional]
    """A run folder, or an agent folder in it: RUN/best, RUN/snapshots/STEP."""
    episodes: int = 10
    seed: int = 1_000
    """Decides the episodes' starts."""
    env: str | None = None
    """Another environment than the run's."""
    env_kwargs: str | None = None
    """Its options, as JSON."""


def main(arguments: list[str]) -> None:
    chosen = tyro.cli(Arguments, args=arguments, prog="pacer evaluate")
    if chosen.episodes < 1:
        raise PacerError(f"episodes is {chosen.episodes}: expected at least 1")
    if chosen.seed < 0:
        raise PacerError(f"seed is {chosen.seed}: expected a whole number, 0 or more")
    agent = load(chosen.run)
    world = world_for(agent, chosen.run, chosen.env, chosen.env_kwargs)
    discount = agent.recipe.discount
    try:
        played = {m: evaluate(world, agent.policy, chosen.episodes, chosen.seed, 0, discount, [m]) for m in MODES}
    finally:
        world.close()
    print(table(f"returns of {chosen.episodes} episodes", {mode: figures(of) for mode, of in played.items()}))
    print(table("\nmeans of the rest", {mode: means(of) for mode, of in played.items()}))


def table(title: str, rows: Mapping[str, Mapping[str, float]]) -> str:
    """Rows of figures under the names of the first."""
    names = list(next(iter(rows.values())))
    widths = [max(10, len(name)) for name in names]
    head = " ".join([" " * 8, *(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))])
    lines = (
        " ".join([f"{mode:8}", *(f"{row[name]:{width}.2f}" for name, width in zip(names, widths, strict=True))])
        for mode, row in rows.items()
    )
    return "\n".join([title, head, *lines])


def figures(episodes: Sequence[Episode]) -> dict[str, float]:
    """Mean, deviation and quantiles of the returns, and CVaR: the mean of the worst tenth."""
    totals = np.sort([e.total for e in episodes])
    return {
        "mean": totals.mean(),
        "deviation": totals.std(),
        "lowest": totals[0],
        **{f"{100 * q:.0f} %": np.quantile(totals, q) for q in QUANTILES},
        "highest": totals[-1],
        f"CVaR({TAIL:g})": cvar(totals, TAIL),
    }


def means(episodes: Sequence[Episode]) -> dict[str, float]:
    """Mean length and discounted return, and means of what the environment measures."""
    rows = [{"length": e.length, "discounted": e.discounted, **e.measures} for e in episodes]
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def world_for(
    agent: Agent, path: Path, env: str | None, env_kwargs: str | None, render_mode: str | None = None
) -> World:
    """The world to play in: the run's, unless another is named; an agent without a run needs one named."""
    options = None if env_kwargs is None else parse_options(env_kwargs)
    try:
        world = Run(path).world(env, options, render_mode)
    except NoRun as error:
        if env is None:
            raise PacerError(f"{path} does not belong to a run: name the environment with --env") from error
        world = World(maker(env, options or {}, render_mode), env)
    if world.space != agent.space:
        raise PacerError(f"{world.name} has {world.space}, and the agent was trained on {agent.space}")
    return world
