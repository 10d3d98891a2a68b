"""The library's front door: `pacer.train`, `pacer.load`, `pacer.evaluate` and `pacer.record`."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import gymnasium

from pacer.agent import Agent
from pacer.config import DEFAULT_RECIPE, Schedule, default_folder, resolve
from pacer.envs.identity import identity, identity_of
from pacer.envs.make import maker
from pacer.envs.video import choose_opengl, write_video
from pacer.errors import PacerError, option
from pacer.observers import Evaluated, Observer
from pacer.observers.display import Display
from pacer.observers.events import Mode
from pacer.overrides import whole
from pacer.pieces.recipe import Recipe
from pacer.pieces.risks import Risk
from pacer.pieces.utilities import Utility
from pacer.runs.reader import NoRun, Run
from pacer.training import evaluate as judging
from pacer.training.execute import execute
from pacer.training.film import Take, film, scored
from pacer.training.stopping import INTERRUPTED, Stopped
from pacer.training.world import ADVICE, LONGEST, MakeEnvironment, World


def train(
    env: str | MakeEnvironment,
    recipe: str | Recipe | None = None,
    steps: float = 100_000,
    seed: int = 0,
    *,
    size: str = "small",
    risk: str | Risk | None = None,
    utility: str | Utility | None = None,
    run_dir: str | Path | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
    wrappers: Sequence[str] = (),
    envs: int = 1,
    env_workers: int = 0,
    step_timeout: float | None = None,
    schedule: Schedule | None = None,
    overrides: Mapping[str, Any] | None = None,
    name: str | None = None,
    start_from: str | Path | Agent | None = None,
    observers: Sequence[Observer] = (),
    quiet: bool = False,
) -> Agent:
    """Train on an environment, given by its id or by a function that makes it, and return the agent.

    `pacer.config.resolve` tells how the arguments become a configuration. The run lives in `run_dir` (by default
    under runs/); calling again continues or extends it. `start_from` is an agent, or the folder of one, whose networks
    the run begins with, and whose recipe it has unless another is named. Ctrl-C ends the run with
    a checkpoint, as a KeyboardInterrupt. A call of the environment that takes longer than `step_timeout` seconds ends
    the run, at what it last saved.
    """
    _check_environment(env, wrappers, name is not None or run_dir is not None)
    _check_observers(observers)
    start = load(start_from) if isinstance(start_from, str | Path) else start_from
    config = resolve(
        env if isinstance(env, str) else f"function:{getattr(env, '__qualname__', type(env).__name__)}",
        recipe if recipe is not None else start.recipe if start else DEFAULT_RECIPE,
        steps=steps,
        seed=seed,
        size=size,
        risk=risk,
        utility=utility,
        env_kwargs=env_kwargs,
        envs=envs,
        overrides=overrides,
        schedule=schedule,
        name=name,
        wrappers=wrappers,
        source=identity_of(env, wrappers) if isinstance(env, str) else identity(env),
        start_from=start.digest() if start else "",
    )
    folder = Path(run_dir) if run_dir is not None else default_folder(config)
    options = config.environment_options
    make = partial(env, **options) if callable(env) else maker(config.environment, options, wrappers=wrappers)
    try:
        with Display(config, quiet) as display:
            execute(config, folder, make, [display, *observers], env_workers, step_timeout, start)
    except Stopped as stop:
        if stop.exit_code == INTERRUPTED:
            raise KeyboardInterrupt(f"the same call continues the run in {folder}") from None
        if stop.exit_code:  # another signal's; where an observer asked for the end, the agent is wanted
            raise SystemExit(stop.exit_code) from None
    return load(folder)


def load(run: str | Path) -> Agent:
    """The agent of a run folder, or of one of its agent folders (`best`, `snapshots/<step>`)."""
    folder = Path(run)
    if (folder / "agent" / "agent.json").exists():
        folder = folder / "agent"
    if not (folder / "agent.json").exists():
        below = [str(run.path) for run in Run.find(folder)[:3]] if folder.is_dir() else []
        hint = f". Runs below it: {', '.join(below)}" if below else ""
        raise PacerError(f"{folder} holds no agent: expected a run folder, or an agent folder of one{hint}")
    return Agent.load(folder)


def evaluate(
    run: str | Path | Agent,
    env: str | MakeEnvironment | None = None,
    *,
    episodes: int = 10,
    seed: int = 1_000,
    env_kwargs: Mapping[str, Any] | None = None,
    wrappers: Sequence[str] | None = None,
    warn: Callable[[str], object] = warnings.warn,
) -> Evaluated:
    """New episodes of an agent on raw rewards, greedy and sampled; `seed` decides their starts.

    The agent is one, or that of a folder, whose run knows its environment; another is named by `env`. They are whole
    ones, unless they go on for longer than any is judged, of which `warn` is told.
    """
    if episodes < 1:
        raise PacerError(f"episodes is {episodes}: expected at least 1")
    whole(seed, "seed", 0)
    agent = run if isinstance(run, Agent) else load(run)
    with _world(run, agent, env, env_kwargs, wrappers) as world:
        told = Evaluated(0, judging.evaluate(world, agent.policy, episodes, seed, 0, agent.recipe.discount))
    if cut := sum(episode.cut for episode in told.episodes):
        limit = "" if world.limited else f" It sets no time limit: {ADVICE}"
        warn(f"{cut} of {len(told.episodes)} episodes of {world.name} were cut after {world.longest:,} steps.{limit}")
    return told


def record(
    run: str | Path | Agent,
    env: str | MakeEnvironment | None = None,
    *,
    output: str | Path | None = None,
    episodes: int = 1,
    longest: int = 1_000,
    seed: int = 1_000,
    sampled: bool = False,
    step: int | None = None,
    episode: int = 0,
    env_kwargs: Mapping[str, Any] | None = None,
    wrappers: Sequence[str] | None = None,
    say: Callable[[str], object] = lambda text: None,
) -> Path:
    """An MP4 of an agent's episodes, as in `evaluate`; returns the file, video.mp4 in the run by default.

    With `step` it is the very episode that the run scored after so many steps, of the number `episode`. A function
    `env` makes an environment that draws: `lambda: gymnasium.make(..., render_mode="rgb_array")`.
    """
    if episodes < 1 or not 1 <= longest <= LONGEST:
        raise PacerError(f"{episodes} episodes of {longest} steps: expected 1 or more, 1 to {LONGEST}")
    whole(seed, "seed", 0)
    if isinstance(run, Agent) and (output is None or step is not None):
        raise PacerError("an agent alone is recorded into a file: expected output, and no step, which is a run's")
    mode: Mode = "sampled" if sampled else "greedy"
    agent = run if isinstance(run, Agent) else load(run) if step is None else Run(run).agent(step)
    takes = [Take(number, seed, 0, longest) for number in range(episodes)]
    if step is not None and not isinstance(run, Agent):
        takes = [scored(Run(run), step, mode, episode)]
    choose_opengl()
    with _world(run, agent, env, env_kwargs, wrappers, render_mode="rgb_array") as world:
        frames = chain.from_iterable(film(world, agent.policy, mode, take, say) for take in takes)
        path = Path(output) if output is not None else Path(str(run)) / "video.mp4"
        return write_video(path, frames, world.env.metadata.get("render_fps", 30))


@contextmanager
def _world(
    run: str | Path | Agent,
    agent: Agent,
    env: str | MakeEnvironment | None,
    options: Mapping[str, Any] | None,
    wrappers: Sequence[str] | None,
    render_mode: str | None = None,
) -> Iterator[World]:
    world = _open(run, env, options, wrappers, render_mode)
    try:
        agent.check_fits(world.name, world.space, world.low, world.high)
        yield world
    finally:
        world.close()


def _open(
    run: str | Path | Agent,
    env: str | MakeEnvironment | None,
    options: Mapping[str, Any] | None,
    wrappers: Sequence[str] | None,
    render_mode: str | None,
) -> World:
    """The world to play in: the run's, unless another is named; an agent without a run needs one named."""
    if env is not None:
        _check_environment(env, wrappers or ())
    try:
        if isinstance(run, Agent):
            raise NoRun("an agent alone")
        return Run(run).world(env, options, render_mode, wrappers)
    except NoRun as error:
        if env is None:
            message = f"{run} does not belong to a run: name the environment with {option('env')}"
            raise PacerError(message) from error
    if isinstance(env, str):
        return World(maker(env, options or {}, render_mode, wrappers or ()), env)
    return World(partial(env, **(options or {})), getattr(env, "__qualname__", "the environment"))


def _check_observers(observers: Any) -> None:
    if not isinstance(observers, Sequence) or not all(callable(observer) for observer in observers):
        raise PacerError(f"observers is {observers!r}: expected a list of functions of an event, [observer]")


def _check_environment(env: Any, wrappers: Any, named: bool = True) -> None:
    """An id, or a function, which has its wrappers inside; one that trains must be told apart from others."""
    if isinstance(wrappers, str):
        raise PacerError(f"wrappers is {wrappers!r}: expected a list of them, [{wrappers!r}]")
    if callable(env) and wrappers:
        raise PacerError("wrappers go around an environment that is named by its id: put them into the function")
    if isinstance(env, gymnasium.Env) or hasattr(env, "num_envs"):
        raise PacerError(
            "env is an environment: expected its id, or a function that makes one, such as "
            "lambda: gymnasium.make(...), since several are needed"
        )
    if not isinstance(env, str) and not callable(env):
        raise PacerError(f"env is {env!r}: expected an environment's id, or a function that makes one")
    if callable(env) and not named:
        raise PacerError(
            "env is a function, whose runs would all be called alike: give the run a name=..., or a folder, run_dir=..."
        )
