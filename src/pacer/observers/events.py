"""What a run tells while it goes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pacer.errors import PacerError

Mode = Literal["greedy", "sampled"]


@dataclass(frozen=True)
class Episode:
    """One whole episode of an evaluation, on raw rewards."""

    mode: Mode
    episode: int
    total: float
    """Its return, not discounted."""
    length: int
    discounted: float
    """Its return at the recipe's discount."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """What the environment's `info` says of it: sums or means over its steps, by column."""
    cut: bool = False
    """Whether it had not ended when it was as long as judged episodes may be."""


@dataclass(frozen=True)
class Started:
    """The run begins, or goes on from `step`."""

    step: int
    best: float = -math.inf
    """Mean greedy return of the best evaluation before."""


@dataclass(frozen=True)
class Phase:
    """What takes a while begins; the next event of another kind ends it."""

    name: Literal["compiling", "evaluating", "saving"]


@dataclass(frozen=True)
class Progress:
    """After every block."""

    step: int
    episodes: int
    train_return: float
    """Mean return of the latest training episodes; nan before the first has ended."""
    metrics: Mapping[str, float]
    """What learning reports of this block; empty before the first update."""
    seconds: Mapping[str, float]
    """Time spent since the last event of this kind: collect, learn, evaluate."""


@dataclass(frozen=True)
class Evaluated:
    step: int
    episodes: tuple[Episode, ...]

    def mean(self, mode: Mode) -> float:
        """Mean return of the episodes of one mode; nan if there was none."""
        totals = self.returns(mode)
        return sum(totals.tolist()) / len(totals) if len(totals) else float("nan")

    def returns(self, mode: Mode) -> NDArray[np.float64]:
        """Returns of the episodes of one mode."""
        if mode not in get_args(Mode):
            raise PacerError(f"mode is {mode!r}: expected {' or '.join(get_args(Mode))}")
        return np.array([e.total for e in self.episodes if e.mode == mode])


@dataclass(frozen=True)
class Warned:
    """Something the user should know; the run goes on."""

    message: str


@dataclass(frozen=True)
class Finished:
    """The run ended: all its steps are done, or it was stopped (and can be continued), or it failed."""

    step: int
    status: Literal["finished", "stopped", "failed"]


Event = Started | Phase | Progress | Evaluated | Warned | Finished
