"""Names: of pieces as they are typed, and of runs."""

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

from pacer.errors import PacerError, near
from pacer.runs.codec import encode, members

LONGEST = 100  # characters of a folder's name


def parse_piece(text: str, family: type) -> Any:
    """A piece as it is typed: its short name or its class's, and its numbers, as in cvar:0.25 and Adam:1e-3.

    The numbers are those of its fields that are one, whole or not, in their order; the last may be left out.
    """
    sort, (name, *numbers) = family.__name__.lower(), text.split(":")
    named = members(family)
    typed = {_typed_name(piece): piece for piece in named.values()}
    if name not in {**typed, **named}:
        raise PacerError(f"unknown {sort} {name!r}.{near(name, typed)} They are: {', '.join(typed)}")
    piece = {**typed, **named}[name]
    expected = _numbers(piece)
    if len(numbers) > len(expected) or (_needs_all(piece) and len(numbers) < len(expected)):
        usage = ":".join([name, *(number.upper() for number in expected)])
        raise PacerError(f"{sort} {text!r}: expected {usage}. {name} is: {piece.__doc__}")
    try:
        given = zip(expected.items(), numbers, strict=False)
        return piece(**{field: _number(number, field, kind) for (field, kind), number in given})
    except (TypeError, ValueError) as error:
        raise PacerError(f"{sort} {text!r}: {error}") from error


def label(name: str, changes: Mapping[str, Any]) -> str:
    """The name of a run: what it started from, and what was changed."""
    return safe("-".join([name, *(f"{key}_{shown(value)}" for key, value in changes.items())]))


def shown(value: Any) -> str:
    """A value in the name of a run."""
    if is_dataclass(value) and not isinstance(value, type):
        return "_".join([_typed_name(type(value)), *map(shown, _telling(value))])
    if isinstance(value, tuple | list):
        return "x".join(map(shown, value))
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def safe(text: str) -> str:
    """The text as the name of one file or folder: with a digest where that loses something."""
    cleaned = re.sub(r"[^\w.+-]", "_", text, flags=re.ASCII)
    if cleaned == text and 0 < len(text) <= LONGEST and text.strip("."):
        return text
    return f"{cleaned[:LONGEST].strip('.')}-{digest(text)}"


def digest(value: Any) -> str:
    """Eight characters that tell one JSON value from another."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def _typed_name(piece: type) -> str:
    return str(vars(piece).get("short", piece.__name__))  # an inherited short name is another piece's


def _needs_all(piece: type) -> bool:
    """Risk measures and utilities, which have short names, are mostly without effect at their defaults."""
    return "short" in vars(piece)


def _numbers(piece: type) -> dict[str, type]:
    """The fields that are numbers, and whether whole ones."""
    hints = get_type_hints(piece)
    return {f.name: hints[f.name] for f in fields(piece) if hints[f.name] in (int, float)}


def _number(text: str, field: str, kind: type) -> float:
    try:
        number = float(text)
    except ValueError as error:
        raise ValueError(f"{field} is {text!r}: expected a number") from error
    if kind is float:
        return number
    if not number.is_integer():
        raise ValueError(f"{field} is {text}: expected a whole number")
    return int(number)


def _telling(piece: Any) -> list[Any]:
    """What has to be said of a piece beside its name: its first numbers, or a digest where these are not all."""
    numbers = {name: getattr(piece, name) for name in _numbers(type(piece))}
    for count in range(len(numbers) if _needs_all(type(piece)) else 0, len(numbers) + 1):
        first = dict(list(numbers.items())[:count])
        with suppress(TypeError):  # a field without default
            if type(piece)(**first) == piece:
                return list(first.values())
    return [digest(encode(piece))]
