"""The configuration of a run, and its form as JSON.

Pieces are named through the table below: nothing that is read from a file is imported or evaluated.
"""

import types
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pacer.actors.deterministic import Deterministic
from pacer.actors.flow import Flow
from pacer.actors.gaussian import Gaussian
from pacer.actors.push_forward import PushForward
from pacer.actors.semi_implicit import SemiImplicit
from pacer.backup import PolicyBackup, SoftMaximum
from pacer.critics.categorical import Categorical
from pacer.critics.expected import Expected
from pacer.critics.fixed_quantile import FixedQuantile
from pacer.critics.generator import Generator
from pacer.critics.proposed import Proposed
from pacer.critics.quantile import Quantile
from pacer.encouragers.base import Nothing
from pacer.encouragers.entropy import Entropy
from pacer.encouragers.mmd import MMD
from pacer.encouragers.reference import TruncatedNormal, Uniform
from pacer.encouragers.sliced import Sliced
from pacer.encouragers.wasserstein import Wasserstein
from pacer.encouragers.weight import Dual, Fixed, MovingDual
from pacer.errors import PacerError
from pacer.exploration import EpsilonUniform, GaussianNoise, NoExploration
from pacer.improvement import Ascent, Stein
from pacer.recipe import Averaging, Recipe
from pacer.risk import CPW, CVaR, Entropic, MeanDeviation, Neutral, PowerRisk, VaR, Wang
from pacer.utility import ActionCost, Combination, Exponential, Identity, Power, Truncation


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


PIECES: dict[str, type] = {
    piece.__name__: piece
    for piece in (
        *(Config, Schedule, Recipe, Averaging),
        *(PushForward, Gaussian, Deterministic, SemiImplicit, Flow),
        *(Quantile, Expected, FixedQuantile, Categorical, Generator, Proposed),
        *(Nothing, MMD, Wasserstein, Sliced, Entropy, Uniform, TruncatedNormal, Fixed, Dual, MovingDual),
        *(PolicyBackup, SoftMaximum, Ascent, Stein, NoExploration, EpsilonUniform, GaussianNoise),
        *(Identity, Power, Exponential, Truncation, ActionCost, Combination),
        *(Neutral, CVaR, Wang, CPW, PowerRisk, Entropic, MeanDeviation, VaR),
    )
}


def add_piece(piece: type) -> type:
    """Make a piece of your own known, so that runs made with it can be loaded; usable as a class decorator."""
    if not is_dataclass(piece):
        raise PacerError(f"{piece} is not a dataclass: a piece is a frozen dataclass")
    if PIECES.get(piece.__name__, piece) is not piece:
        raise PacerError(f"there is a piece named {piece.__name__} already: choose another name")
    PIECES[piece.__name__] = piece
    return piece


def encode(value: Any) -> Any:
    """A configuration as plain JSON values."""
    if is_dataclass(value):
        if PIECES.get(type(value).__name__) is not type(value):
            raise PacerError(
                f"{type(value).__name__} is a piece that a saved run could not name: decorate it with pacer.add_piece"
            )
        encoded = {f.name: encode(getattr(value, f.name)) for f in fields(value)}
        return {"piece": type(value).__name__, **encoded}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def decode(value: Any, hint: Any = Any, where: str = "configuration") -> Any:
    """The inverse of `encode`; every value is held against the type that its field declares."""
    if isinstance(value, dict) and "piece" in value and get_origin(hint) is not Mapping:
        return _decode_piece(value, hint, where)
    if get_origin(hint) is tuple and isinstance(value, list):
        hints = get_args(hint)
        hints = hints[:1] * len(value) if hints[-1:] == (Ellipsis,) else hints
        if len(hints) == len(value):
            return tuple(decode(v, h, f"{where}[{i}]") for i, (v, h) in enumerate(zip(value, hints, strict=True)))
    elif _fits(value, hint):
        return float(value) if hint is float else value
    raise PacerError(f"{where} is {value!r}: expected {getattr(hint, '__name__', hint)}")


def _decode_piece(value: dict[str, Any], hint: Any, where: str) -> Any:
    name = value["piece"]
    piece = PIECES.get(name) if isinstance(name, str) else None
    if piece is None or (isinstance(hint, type) and not issubclass(piece, hint)):
        raise PacerError(f"{where} names the piece {name!r}, which does not belong there")
    hints = get_type_hints(piece)
    known = {f.name for f in fields(piece)}
    given = {k: v for k, v in value.items() if k != "piece"}
    if unknown := sorted(given.keys() - known):
        raise PacerError(f"{where} ({name}) has no field {', '.join(unknown)}: it has {', '.join(sorted(known))}")
    try:
        return piece(**{k: decode(v, hints[k], f"{where}.{k}") for k, v in given.items()})
    except (TypeError, ValueError) as error:
        raise PacerError(f"{where} ({name}): {error}") from error


def _fits(value: Any, hint: Any) -> bool:
    if hint is Any:
        return True
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if get_origin(hint) is not None:  # Mapping[str, Any]
        return isinstance(value, dict)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(hint, type) and isinstance(value, hint)
