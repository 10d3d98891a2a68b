"""The configuration of a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pacer.pieces.recipe import Recipe


@dataclass(frozen=True)
class Schedule:
    """When things happen, in environment steps."""

    block: int = 50
    """Steps between two blocks of updates."""
    updates: int = 50
    """Updates per block."""
    warm_up: int = 1_000
    """Random actions before the policy acts."""
    learn_after: int = 1_000
    """Steps before the first update."""
    evaluate_every: int = 5_000
    evaluation_episodes: int = 10
    checkpoint_every: int = 5_000
    log_every: int = 1_000
    replay_capacity: int = 1_000_000
    """Rows of experience that are remembered."""
    keep_replay: bool = True
    """Whether a finished run keeps its replay on disk, so that it can be extended."""

    def __post_init__(self) -> None:
        for name in ("block", "updates", "evaluate_every", "evaluation_episodes", "checkpoint_every", "log_every"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a whole number above 0")
        for name in ("warm_up", "learn_after"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a whole number, 0 or more")
        for name in ("evaluate_every", "checkpoint_every", "log_every"):
            if getattr(self, name) % self.block:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a multiple of the block, {self.block}")
        if self.replay_capacity < max(self.block, 2):
            raise ValueError(
                f"replay_capacity is {self.replay_capacity}: expected at least a block, {self.block}, and 2"
            )


@dataclass(frozen=True)
class Config:
    """Everything a run depends on, fully resolved."""

    environment: str
    environment_options: Mapping[str, Any]
    algorithm: str
    """The name in `pacer list` that the recipe started from."""
    recipe: Recipe
    seed: int
    steps: int
    """Environment steps, in whole blocks."""
    schedule: Schedule = Schedule()

    def __post_init__(self) -> None:
        if self.steps <= 0 or self.steps % self.schedule.block:
            raise ValueError(
                f"steps is {self.steps}: expected a whole number above 0, in blocks of {self.schedule.block}"
            )
        if self.seed < 0:
            raise ValueError(f"seed is {self.seed}: expected a whole number, 0 or more")
