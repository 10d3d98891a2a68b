"""What tracking tools are told of a run: its figures, under the names that their users look for."""

import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pacer.errors import PacerError
from pacer.observers.events import Evaluated, Event, Finished, Progress, Started

if TYPE_CHECKING:
    from pacer.config import Config

Tool = Literal["tensorboard", "wandb"]
Figures = dict[str, float]


@dataclass(frozen=True)
class Told:
    """The steps up to which a tool knows a run: what learning reported, and the evaluations."""

    progress: int = -1
    evaluated: int = -1


class Tracker(ABC):
    """An observer that hands on figures every `every` steps, and of every evaluation; none twice.

    A run that goes on repeats what came after its checkpoint, and that checkpoint's evaluation.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._step = 0
        self._seconds: Figures = {}
        self._since = time.monotonic()
        self.told = Told()

    @abstractmethod
    def open(self, step: int) -> Told:
        """The run goes on from `step`: what the tool knows already, and keeps."""

    @abstractmethod
    def write(self, step: int, figures: Figures) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    def __call__(self, event: Event) -> None:
        match event:
            case Started():
                self._step, self._since = event.step, time.monotonic()
                self.told = self.open(event.step)
            case Progress():
                self._progress(event)
            case Evaluated() if event.step > self.told.evaluated:
                self.told = replace(self.told, evaluated=event.step)
                self.write(event.step, evaluation(event))
            case Finished():
                self.close()

    def _progress(self, event: Progress) -> None:
        for activity, seconds in event.seconds.items():
            self._seconds[activity] = self._seconds.get(activity, 0.0) + seconds
        if event.step // self._every == self._step // self._every:
            return
        figures = progress(event, self._seconds, (event.step - self._step) / (time.monotonic() - self._since))
        self._step, self._since, self._seconds = event.step, time.monotonic(), {}
        if event.step > self.told.progress:
            self.told = replace(self.told, progress=event.step)
            self.write(event.step, figures)


def progress(event: Progress, seconds: Figures, speed: float) -> Figures:
    """Figures of training; the tags are those of Stable-Baselines3 where it has one."""
    figures = {"rollout/ep_rew_mean": event.train_return, "time/episodes": event.episodes, "time/fps": speed}
    figures |= {f"train/{name}": value for name, value in event.metrics.items()}
    return _known(figures | {f"time/{activity}": value for activity, value in seconds.items()})


def evaluation(event: Evaluated) -> Figures:
    """Mean returns of both modes; of greedy play also the length and what the environment measures."""
    figures = {"eval/mean_reward": event.mean("greedy"), "eval/mean_reward_sampled": event.mean("sampled")}
    greedy = [{"mean_ep_length": e.length, **e.measures} for e in event.episodes if e.mode == "greedy"]
    names = greedy[0] if greedy else ()
    return _known(figures | {f"eval/{name}": sum(row[name] for row in greedy) / len(greedy) for name in names})


def tracker(tool: Tool, folder: Path, config: "Config") -> Tracker:
    """The observer that keeps a tool informed of the run in `folder`."""
    if tool == "tensorboard":
        from pacer.observers.tensorboard import TensorBoard

        return TensorBoard(folder / "tensorboard", config.schedule.log_every)
    from pacer.observers.wandb import WandB
    from pacer.runs.codec import encode

    name = f"{config.environment} {config.label} seed {config.seed}"
    return WandB(folder / "wandb", config.schedule.log_every, name=name, config=encode(config))


def required(package: str, tool: str) -> Any:
    """A package of the extra `track`; asked for before training starts, so that its lack is known at once."""
    try:
        return import_module(package)
    except ImportError as error:
        raise PacerError(f"tracking with {tool} needs {error.name}: pip install 'pacer-rl[track]'") from error


def _known(figures: Figures) -> Figures:
    return {name: value for name, value in figures.items() if not math.isnan(value)}
