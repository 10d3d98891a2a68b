"""Numbers that a compiled block is given, rather than compiled with: a sweep over them compiles once."""

from copy import copy
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")
Numbers = dict[str, Any]
"""By field: a number, or the numbers of the piece in it."""


def apart(piece: T) -> tuple[T, Numbers]:
    """The piece, with None for each number that it or a piece in it names in `traced`; and these numbers."""
    blank: Numbers = {}
    numbers: Numbers = {}
    for field in fields(piece):  # type: ignore[arg-type]
        value = getattr(piece, field.name)
        if field.name in getattr(piece, "traced", ()):
            blank[field.name], numbers[field.name] = None, value
        elif is_dataclass(value):
            blank[field.name], inner = apart(value)
            if inner:
                numbers[field.name] = inner
    return _with(piece, blank), numbers


def together(piece: T, numbers: Numbers) -> T:
    """The piece with its numbers in place, which may be traced."""
    given = {n: together(getattr(piece, n), v) if isinstance(v, dict) else v for n, v in numbers.items()}
    return _with(piece, given)


def _with(piece: T, values: Numbers) -> T:
    copied = copy(piece)
    for name, value in values.items():
        object.__setattr__(copied, name, value)  # without checks: a traced number is neither large nor small
    return copied
