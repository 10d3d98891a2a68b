"""How large a piece may be before anything of it is built: its description may be a stranger's."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

LARGEST = 65_536
SMALLER = {"layers": 64, "blocks": 64, "hidden": 64, "members": 1_024, "noise_power": 4}
"""Numbers that are repeated, multiplied or raised to, by the names of their fields; of a tuple it is the length."""


def check_sizes(piece: Any) -> None:
    """Raise a ValueError if a whole number in a piece, or in a piece inside it, is beyond reason."""
    for name, number in _numbers(piece):
        most = SMALLER.get(name, LARGEST)
        if not 0 <= number <= most:
            raise ValueError(f"{name} is {number}: expected 0 to {most}")


def _numbers(piece: Any) -> Iterator[tuple[str, int]]:
    for field in fields(piece):
        value = getattr(piece, field.name)
        if is_dataclass(value):
            yield from _numbers(value)
        elif isinstance(value, tuple):
            yield field.name, len(value)
            yield from (("width", item) for item in value if isinstance(item, int))
        elif isinstance(value, int):
            yield field.name, value
