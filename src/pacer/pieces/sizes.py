"""How large a piece may be before anything of it is built: its description may be a stranger's."""

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

LARGEST = 65_536
LARGEST_POWER = 4
REPEATED = ("members", "layers", "blocks", "hidden")
MOST_REPEATED = 128
"""Layers of all members together: each is traced by itself."""


def check_sizes(piece: Any) -> None:
    """Raise a ValueError if a whole number in a piece, or in a piece inside it, is beyond reason."""
    numbers = list(_numbers(piece))
    for name, number in numbers:
        most = LARGEST_POWER if name.endswith("power") else LARGEST
        if not 0 <= number <= most:
            raise ValueError(f"{name} is {number}: expected 0 to {most}")
    repeated = [(name, number) for name, number in numbers if name in REPEATED]
    if math.prod(number for _, number in repeated) > MOST_REPEATED:
        product = " x ".join(f"{number} {name}" for name, number in repeated)
        raise ValueError(f"{product}: expected {MOST_REPEATED} layers at most")


def _numbers(piece: Any) -> Iterator[tuple[str, int]]:
    """Whole numbers by the names of their fields; a tuple counts by its length, and by what it holds."""
    for field in fields(piece):
        value = getattr(piece, field.name)
        if is_dataclass(value):
            yield from _numbers(value)
        elif isinstance(value, tuple):
            yield field.name, len(value)
            yield from (("width", item) for item in value if isinstance(item, int))
        elif isinstance(value, int):
            yield field.name, value
