"""Risk measures and utilities as one types them: `cvar:0.25`, `power:1.5`, `truncation:-1:1`."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pacer.errors import PacerError, near
from pacer.pieces.risks import CPW, CVaR, Entropic, MeanDeviation, Neutral, PowerRisk, Risk, VaR, Wang
from pacer.pieces.utilities import ActionCost, Combination, Exponential, Identity, Power, Truncation, Utility

RISKS: dict[str, type[Risk]] = {
    "neutral": Neutral,
    "cvar": CVaR,
    "wang": Wang,
    "cpw": CPW,
    "power": PowerRisk,
    "entropic": Entropic,
    "deviation": MeanDeviation,
    "var": VaR,
}
UTILITIES: dict[str, type[Utility]] = {
    "identity": Identity,
    "power": Power,
    "exponential": Exponential,
    "truncation": Truncation,
    "action-cost": ActionCost,
    "combination": Combination,
}


def parse_risk(text: str) -> Risk:
    return _parse(text, RISKS, "risk measure")


def parse_utility(text: str) -> Utility:
    return _parse(text, UTILITIES, "utility")


def short_name(piece: Risk | Utility) -> str:
    """How the piece is typed, for the names of folders; nothing for the neutral ones."""
    if piece in (Neutral(), Identity()):
        return ""
    names = {kind: name for table in (RISKS, UTILITIES) for name, kind in table.items()}
    numbers = [getattr(piece, f.name) for f in fields(piece) if f.type is float]  # type: ignore[arg-type]
    family = "risk" if isinstance(piece, Risk) else "utility"
    return "_".join([family, names.get(type(piece), type(piece).__name__), *(f"{n:g}" for n in numbers)])


def _parse(text: str, table: Mapping[str, type[Any]], kind: str) -> Any:
    name, *numbers = text.split(":")
    if name not in table:
        raise PacerError(f"unknown {kind} {name!r}.{near(name, table)} They are: {', '.join(table)}")
    piece = table[name]
    names = [f.name for f in fields(piece) if f.type is float]
    if len(numbers) > len(names):
        raise PacerError(f"{kind} {text!r}: expected {':'.join([name, *(n.upper() for n in names)])}")
    try:
        return piece(**dict(zip(names, map(float, numbers), strict=False)))
    except ValueError as error:
        raise PacerError(f"{kind} {text!r}: {error}") from error
