"""One picture of a trained agent: `pacer.show`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pacer.agent import Agent
from pacer.api import load
from pacer.envs.bounds import to_box
from pacer.errors import PacerError
from pacer.experiments.insight import KEPT, counts_diversity, examine, look, sample
from pacer.overrides import whole
from pacer.reports.curves import Curve, curve
from pacer.reports.portrait import check_format, portrait, write
from pacer.runs.arrays import Arrays, load_arrays
from pacer.runs.reader import NoRun, Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def show(
    run: str | Path,
    output: str | Path | None = None,
    *,
    states: int = 3,
    observations: ArrayLike | None = None,
    samples: int = 20_000,
    episodes: int = 20,
    seed: int = 0,
    env: str | Callable[..., Any] | None = None,
    wrappers: Sequence[str] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
) -> "Figure":
    """Draw what an agent does: its actions and the returns it expects in some states, and the curve of its run.

    The states are visited in an episode, and returns of episodes that go on from there are drawn beside the expected
    ones; or they are the rows of `observations`. `output` may end with .png, .svg, .pdf or .html. What is found of a
    whole run is kept in its folder `insight`, where reports read it.
    """
    if output is not None:
        check_format(Path(output))  # before minutes are spent
    whole(seed, "seed", 0)
    try:
        of: Run | None = Run(run)
    except NoRun:
        of = None  # an agent alone, such as an export
    if observations is not None:
        agent = of.agent() if of else load(run)
        found = at(agent, np.atleast_2d(np.asarray(observations, np.float32)), seed)
    elif of is None:
        load(run)  # which is refused where there is no agent either
        raise PacerError(f"{run} belongs to no run, which would tell the states to look at: name some, as observations")
    elif of.is_whole:
        folder = examine(run, states, samples, episodes, seed, env, wrappers, env_kwargs)
        found = {name: load_arrays(folder / f"{name}.safetensors") for name in ("heatmaps", "returns")}
    else:
        world = of.world(env, env_kwargs, wrappers=wrappers)
        found = look(world, {of.step or 0: of.agent()}, states, samples, episodes, seed)
    figure = portrait(found["heatmaps"], found["returns"], _curves(of), _title(of, Path(run)))
    if output is not None:
        write(figure, Path(output))
    return figure


def at(agent: Agent, observations: Any, seed: int = 0) -> dict[str, Arrays]:
    """What an agent does in given states; nothing is played, so no return is there to compare."""
    agent.predict(observations, deterministic=True)  # refuses what are no observations
    drawn = np.stack([sample(agent.policy, obs, KEPT, seed) for obs in observations])
    foretold = agent.returns(observations, to_box(drawn[:, 0], agent.low, agent.high))
    nothing = np.full((len(observations), 1), np.nan, np.float32)
    soft = np.array(int(counts_diversity(agent.recipe)))
    return {
        "heatmaps": {"samples": drawn, "greedy": np.asarray(agent.policy.greedy(observations))},
        "returns": {
            "value": np.asarray(foretold.value),
            "mass": np.asarray(foretold.mass),
            "actions": drawn[:, 0],
            "monte_carlo": nothing,
            "left": np.zeros_like(nothing),
            "soft": soft,
        },
    }


def _curves(run: Run | None) -> dict[str, Curve]:
    if run is None:
        return {}
    log = run.evaluations()
    return {mode: curve(log, mode) for mode in ("greedy", "sampled") if mode in log["mode"]}


def _title(run: Run | None, path: Path) -> str:
    if run is None:
        return path.name
    settings = run.settings
    after = f", after {run.step:,} steps" if run.step else ""
    return f"{settings['label']} on {settings['environment']}, seed {settings['seed']}{after}"
