"""Names: of pieces as they are typed, and of runs."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

from pacer.errors import PacerError, near
from pacer.runs.codec import encode, members

LONGEST = 100  # characters of a folder's name


def parse_piece(text: str, family: type) -> Any:
    """A piece as it is typed: its short name or its class's, and its numbers, as in cvar:0.25 and Adam:1e-3."""
    kind, (name, *numbers) = family.__name__.lower(), text.split(":")
    known = {_typed_name(piece): piece for piece in members(family).values()}
    if name not in known:
        raise PacerError(f"unknown {kind} {name!r}.{near(name, known)} They are: {', '.join(known)}")
    piece, expected = known[name], _numbers(known[name])
    # Risk measures and utilities, which have short names, are mostly without effect at their defaults.
    if len(numbers) > len(expected) or ("short" in vars(piece) and len(numbers) < len(expected)):
        usage = ":".join([name, *(number.upper() for number in expected)])
        raise PacerError(f"{kind} {text!r}: expected {usage}. {name} is: {piece.__doc__}")
    try:
        return piece(**dict(zip(expected, map(float, numbers), strict=False)))
    except (TypeError, ValueError) as error:
        raise PacerError(f"{kind} {text!r}: {error}") from error


def label(name: str, changes: Mapping[str, Any]) -> str:
    """The name of a run: what it started from, and what was changed."""
    return safe("-".join([name, *(f"{key}_{shown(value)}" for key, value in changes.items())]))


def shown(value: Any) -> str:
    """A value in the name of a run."""
    if is_dataclass(value) and not isinstance(value, type):
        numbers = {name: getattr(value, name) for name in _numbers(type(value))}
        text = "_".join([_typed_name(type(value)), *map(shown, numbers.values())])
        return text if _told_by(numbers, value) else f"{text}_{digest(encode(value))}"
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


def _numbers(piece: type) -> list[str]:
    hints = get_type_hints(piece)
    return [f.name for f in fields(piece) if hints[f.name] is float]


def _told_by(numbers: Mapping[str, float], piece: Any) -> bool:
    """Whether its class and these numbers are all there is to a piece."""
    try:
        return bool(type(piece)(**numbers) == piece)
    except TypeError:  # a field without default
        return False
