"""Frozen dataclasses to and from plain JSON values.

A piece is written as its class's name and its fields. A name read from a file is looked up among the classes of the
field's declared family that this process has already defined: nothing in a file is imported or evaluated.
"""

import inspect
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pacer.errors import PacerError, near, printable, shown

NAME = "piece"  # the key that holds the class's name


def encode(value: Any, hint: Any = Any, where: str = "configuration") -> Any:
    """A value as plain JSON; refused if `decode` could not find its way back."""
    if is_dataclass(value) and not isinstance(value, type):
        if isinstance(hint, type) and hint is not Any:
            _check_name(type(value), hint, where)
        hints = get_type_hints(type(value))
        encoded = {f.name: encode(getattr(value, f.name), hints[f.name], f"{where}.{f.name}") for f in fields(value)}
        return {NAME: type(value).__name__, **encoded}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    if value is not None and not isinstance(value, str | int | float | list):
        raise PacerError(
            f"{where} is {shown(value)}, which a saved run could not hold: expected a plain value or a frozen dataclass"
        )
    return value


def decode(value: Any, hint: Any = Any, where: str = "configuration") -> Any:
    """The inverse of `encode`; every value is held against the type that its field declares."""
    if isinstance(value, dict) and NAME in value and isinstance(hint, type) and hint is not Any:
        return _decode_piece(value, hint, where)
    if get_origin(hint) is tuple and isinstance(value, list):
        hints = get_args(hint)
        hints = hints[:1] * len(value) if hints[-1:] == (Ellipsis,) else hints
        if len(hints) == len(value):
            return tuple(decode(v, h, f"{where}[{i}]") for i, (v, h) in enumerate(zip(value, hints, strict=True)))
    elif _fits(value, hint):
        return float(value) if hint is float else value
    if get_origin(hint) is Literal:
        expected = f"one of {', '.join(map(repr, get_args(hint)))}"
    else:
        expected = str(hint if get_args(hint) else getattr(hint, "__name__", hint))
    raise PacerError(f"{where} is {shown(value)}: expected {expected}")


def members(family: type) -> dict[str, type]:
    """The concrete dataclasses of a family by name. A class that was defined anew, as in a notebook, counts once."""
    found: dict[str, type] = {}
    for piece in _concrete(family):
        rival = found.get(piece.__name__)
        if rival and (rival.__module__, rival.__qualname__) != (piece.__module__, piece.__qualname__):
            raise PacerError(
                f"two pieces are named {piece.__name__}, in {rival.__module__} and {piece.__module__}: rename yours"
            )
        found[piece.__name__] = piece  # subclasses come in the order of their definition: the newest stays
    return found


def _concrete(family: type) -> Iterator[type]:
    if is_dataclass(family) and not inspect.isabstract(family):
        yield family
    subclasses: list[type] = family.__subclasses__()
    for piece in subclasses:
        yield from _concrete(piece)


def _check_name(piece: type, family: type, where: str) -> None:
    known = members(family).get(piece.__name__)
    if known is None or (known.__module__, known.__qualname__) != (piece.__module__, piece.__qualname__):
        raise PacerError(
            f"{where} is a {piece.__name__}, which a saved run could not name: expected a frozen dataclass of the "
            f"family {family.__name__}"
        )


def _decode_piece(value: dict[str, Any], family: type, where: str) -> Any:
    name, known = value[NAME], members(family)
    piece = known.get(name) if isinstance(name, str) else None
    if piece is None:
        raise PacerError(
            f"{where} names {shown(name)}, which is no {family.__name__} that is known here."
            f"{near(str(name), known)} A piece of your own must be imported first (--import MODULE)"
        )
    hints, names = get_type_hints(piece), {f.name for f in fields(piece)}
    given = {k: v for k, v in value.items() if k != NAME}
    if unknown := sorted(given.keys() - names):
        given_names = printable(", ".join(unknown))
        raise PacerError(f"{where} ({name}) has no field {given_names}: it has {', '.join(sorted(names))}")
    if missing := sorted(names - given.keys()):
        raise PacerError(f"{where} ({name}) lacks {', '.join(missing)}: was it written by another version of pacer?")
    decoded = {k: decode(v, hints[k], f"{where}.{k}") for k, v in given.items()}
    try:
        return piece(**decoded)
    except Exception as error:  # whatever numbers from a file do in a piece's checks
        raise PacerError(f"{where} ({name}): {printable(str(error))}") from error


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
