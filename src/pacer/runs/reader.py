"""Reading a run: what was asked, what came of it, its agents and its world. Nothing in the folder is changed."""

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pacer.errors import PacerError, option
from pacer.runs import lock
from pacer.runs.codec import decode
from pacer.runs.files import load_json, numbered
from pacer.runs.folder import load_settings
from pacer.runs.tables import Columns, read_columns

if TYPE_CHECKING:
    from pacer.agent import Agent
    from pacer.config import Config
    from pacer.training.world import World

EVALUATIONS = {"step": int, "mode": str, "episode": int, "return": float, "length": int, "discounted": float}
PROGRESS = {"step": int, "episodes": int, "train_return": float}
TIMINGS = {"step": int, "collect": float, "learn": float, "evaluate": float}

Status = Literal["running", "finished", "stopped", "failed", "interrupted"]


class NoRun(PacerError):
    """A path that is neither a run folder nor inside one."""


class Run:
    """The run in a folder; an agent folder inside it (`best`, `snapshots/5000`) names the run and that agent."""

    def __init__(self, path: str | Path) -> None:
        self.path, self._named = _split(Path(path))
        if not (self.path / "config.json").exists():
            raise NoRun(f"{path} is not a run folder: it has no config.json")

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    @staticmethod
    def find(root: str | Path) -> "list[Run]":
        """Every run in and below a folder."""
        runs = []
        for folder, below, files in os.walk(root):
            below.sort()
            if {"config.json", "run.json"} <= set(files):
                runs.append(Run(folder))
                below.clear()  # no run lies inside another
        return runs

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The configuration as it was written, in plain JSON values; needs no JAX."""
        return load_settings(self.path)

    @cached_property
    def config(self) -> "Config":
        """The configuration as Python values; pieces of your own must be imported before."""
        from pacer.config import Config  # a door: knows the pieces, and so JAX

        config: Config = decode(self.settings, Config, "config")
        return config

    @property
    def facts(self) -> dict[str, Any]:
        """What does not decide the outcome: status, whether it is bit-exact, versions, processor."""
        file = self.path / "run.json"
        return load_json(file) if file.exists() else {}

    @property
    def status(self) -> Status:
        """`interrupted` is a run whose process went away without a word; the same command continues it."""
        status: Status = decode(self.facts.get("status", "running"), Status, "status")
        return "interrupted" if status == "running" and not lock.held(self.path) else status

    def progress(self) -> Columns:
        """What learning reported, by column: step, episodes, train_return and the recipe's own metrics."""
        return read_columns(self.path / "progress.csv", PROGRESS)

    def timings(self) -> Columns:
        """Seconds between two rows of `progress`, by column: step, collect, learn, evaluate."""
        return read_columns(self.path / "timings.csv", TIMINGS)

    def evaluations(self) -> Columns:
        """One entry per episode that was scored, by column: step, mode, episode, return, length, discounted.

        Further columns are what the environment says of an episode, such as the goals that a car reached.
        """
        return read_columns(self.path / "evaluations.csv", EVALUATIONS)

    def snapshots(self) -> list[int]:
        """The steps of which an agent was kept on purpose."""
        return numbered(self.path / "snapshots")

    def agents(self) -> dict[int, str]:
        """All steps whose agent is there, with the folder it is in."""
        best = dict.fromkeys(self._best_step(), "best")
        newest = dict.fromkeys(numbered(self.path / "checkpoint")[-1:], "agent")
        return dict(sorted({**best, **newest, **{s: f"snapshots/{s}" for s in self.snapshots()}}.items()))

    def agent(self, which: str | int | None = None) -> "Agent":
        """An agent of the run: `agent` (the newest), `best`, or that of a step; by default the one the path names."""
        from pacer.agent import Agent  # a door: its networks need JAX

        kept = self.agents()
        name = self._named if which is None else kept.get(int(which), "") if str(which).isdecimal() else str(which)
        if not name or not (self.path / name / "agent.json").exists():
            steps = ", ".join(f"{step} ({folder}/)" for step, folder in kept.items()) or "none yet"
            raise PacerError(f"{self.path} holds no agent {which or name}: it holds those of the steps {steps}")
        return Agent.load(self.path / name)

    @property
    def is_whole(self) -> bool:
        """Whether the path named the run, not one of its agents."""
        return self._named == "agent"

    @property
    def step(self) -> int | None:
        """The steps that the agent which the path names was trained for; nothing if they are not known."""
        if self._named == "best":
            steps = self._best_step()
        elif self._named == "agent":
            steps = numbered(self.path / "checkpoint")
        else:
            steps = [int(Path(self._named).name)]
        return steps[-1] if steps else None

    def environment(self, env: str | None = None) -> tuple[str, dict[str, Any]]:
        """Name and options of the run's environment, or of the one asked for."""
        own: str = decode(self.settings.get("environment"), str, "environment")
        if env is None and ":" in own:
            # Such a name would have code imported, and nothing read from a file may do that.
            raise PacerError(f"{self.path} was trained on {own}: name its environment with {option('env')}")
        if env not in (None, own):
            return str(env), {}
        return own, decode(self.settings.get("environment_options"), dict, "environment_options")

    def wrappers(self) -> tuple[str, ...]:
        """The wrappers around the run's environment: Gymnasium's own, since nothing else is imported for a file."""
        own: tuple[str, ...] = decode(self.settings.get("wrappers"), tuple[str, ...], "wrappers")
        if odd := [wrapper for wrapper in own if not wrapper.startswith("gymnasium.wrappers:")]:
            raise PacerError(
                f"{self.path} was trained in {', '.join(odd)}: name its wrappers with {option('wrapper', 'wrappers')}"
            )
        return own

    def world(
        self,
        env: str | Callable[..., Any] | None = None,
        options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
        wrappers: Sequence[str] | None = None,
    ) -> "World":
        """A new world of the run's environment, or of another given by its id or by a function that makes it."""
        from pacer.envs.make import maker  # doors: who only reads files needs neither simulator nor networks
        from pacer.training.world import World

        name, own = self.environment(str(self.settings.get("environment")) if callable(env) else env)
        if options is None and own:
            # Options can make an environment open any file, and these may be a stranger's.
            repeated = option(f"env-kwargs {shlex.quote(json.dumps(own))}", "env_kwargs")
            raise PacerError(f"{self.path} was trained with options of the environment: repeat them with {repeated}")
        given = options or {}
        if callable(env):
            return World(partial(env, **given), name)
        inside = self.wrappers() if wrappers is None and name == self.settings.get("environment") else wrappers or ()
        return World(maker(name, given, render_mode, inside), name)

    def _best_step(self) -> list[int]:
        """The step of the agent in `best`: the first with the highest mean of greedy returns."""
        if not (self.path / "best" / "agent.json").exists():
            return []
        scored = self.evaluations()
        greedy = scored["mode"] == "greedy"
        steps, returns = scored["step"][greedy], scored["return"][greedy]
        means = {int(step): returns[steps == step].mean() for step in sorted(set(steps))}
        return [max(means, key=lambda step: means[step])] if means else []


def _split(path: Path) -> tuple[Path, str]:
    """A path as run folder and agent folder in it."""
    above, name = path.absolute().parent, path.absolute().name
    if (path / "config.json").exists():
        return path, "agent"
    if name in ("agent", "best"):
        return above, name
    return (above.parent, f"snapshots/{name}") if above.name == "snapshots" else (path, "agent")
