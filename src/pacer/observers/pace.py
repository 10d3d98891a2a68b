"""How fast a run goes, how long it has gone on, and how long it will."""

import math
import time
from collections import deque
from collections.abc import Callable
from statistics import fmean
from typing import TYPE_CHECKING

from pacer.observers.events import Evaluated, Event, Phase, Progress, Started

if TYPE_CHECKING:
    from pacer.config import Config


class Pace:
    """Times the blocks in which something was learned, and the evaluations, each by themselves.

    The first such block compiles: it is part of the time that has passed, and of no speed.
    """

    def __init__(self, config: "Config", clock: Callable[[], float] = time.monotonic) -> None:
        self._config, self._schedule, self._clock = config, config.schedule, clock
        self._began = self._mark = clock()
        self._step = self._evaluated = 0
        self._compiled = False
        self._blocks: deque[float] = deque(maxlen=20)
        self._evaluations: deque[float] = deque(maxlen=3)
        self._episode_seconds = math.nan

    def __call__(self, event: Event) -> None:
        now = self._clock()
        match event:
            case Started():
                self._began, self._step, self._evaluated = now, event.step, event.step
            case Progress():
                self._step = event.step
                if event.metrics and self._compiled:
                    self._blocks.append(now - self._mark)
                self._compiled |= bool(event.metrics)
                self._episode_seconds = _episode_seconds(event, self._schedule.block)
            case Evaluated():
                self._evaluations.append(now - self._mark)
                self._evaluated = event.step
            case Phase() if event.name == "evaluating":
                pass
            case _:
                return  # a part of its block
        self._mark = now

    @property
    def elapsed(self) -> float:
        """Seconds since the run began, or went on."""
        return self._clock() - self._began

    @property
    def updates_per_second(self) -> float:
        """Of updates that were made, with the steps between them; nan before there were any but the first."""
        return self._schedule.updates / fmean(self._blocks) if self._blocks else math.nan

    @property
    def left(self) -> float:
        """Seconds until the end, evaluations included; nan until the first block after compilation."""
        if not self._blocks:
            return math.nan
        blocks = (self._config.steps - self._step) / self._schedule.block
        every, last = self._schedule.evaluate_every, self._config.steps
        evaluations = last // every - self._evaluated // every + (last % every > 0 and self._evaluated < last)
        guess = 2 * self._schedule.evaluation_episodes * self._episode_seconds  # two modes
        one = fmean(self._evaluations) if self._evaluations else 0.0 if math.isnan(guess) else guess
        return blocks * fmean(self._blocks) + evaluations * one


def _episode_seconds(event: Progress, block: int) -> float:
    """What an episode takes, as far as training tells; nan before one has ended."""
    seconds = event.seconds.get("collect", math.nan) / block
    return seconds * event.step / event.episodes if event.episodes else math.nan
