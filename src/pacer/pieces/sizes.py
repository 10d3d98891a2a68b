"""How large the numbers of a piece may be, before anything of it is built: its description may be a stranger's."""

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

LARGEST = 65_536
LARGEST_POWER = 4
REPEATED = ("members", "layers", "blocks", "hidden")
MOST_REPEATED = 128
"""Layers of all members together: each is traced by itself."""


def check_positive(piece: Any, *names: str) -> None:
    """Raise a ValueError if a number of the piece is not above 0."""
    for name in names:
        if not getattr(piece, name) > 0:
            raise ValueError(f"{name} of {type(piece).__name__} is {getattr(piece, name)}: expected a number above 0")


def check_sizes(piece: Any) -> None:
    """Raise a ValueError if a whole number in an actor or critic, or in a piece inside it, is beyond reason."""
    for name, number in _numbers(piece):
        most = LARGEST_POWER if name.endswith("power") else LARGEST
        if not 1 <= number <= most:
            raise ValueError(f"{name} is {number}: expected 1 to {most}")
    if (layers := _layers(piece)) > MOST_REPEATED:
        raise ValueError(f"{layers} layers in all members of {type(piece).__name__}: expected {MOST_REPEATED} at most")


def _numbers(piece: Any) -> Iterator[tuple[str, int]]:
    """Whole numbers by the names of their fields."""
    for field in fields(piece):
        value = getattr(piece, field.name)
        if is_dataclass(value):
            yield from _numbers(value)
        elif field.name == "hidden" and isinstance(value, tuple):
            yield from (("width", width) for width in value)
        elif field.type in (int, "int"):
            yield field.name, value


def _layers(piece: Any) -> int:
    """Layers inside, as often as they are repeated; a tuple of widths counts by its length, one width is one layer."""
    values = {field.name: getattr(piece, field.name) for field in fields(piece)}
    inside = sum(_layers(value) for value in values.values() if is_dataclass(value))
    if "hidden" in values:
        values["hidden"] = len(values["hidden"]) if isinstance(values["hidden"], tuple) else 1
    repeated = [values[name] for name in REPEATED if name in values]
    return math.prod(repeated) * max(inside, 1) if repeated else inside
