"""Changes of a frozen dataclass, and of the pieces in it, by dotted names such as `critic.levels`."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, get_type_hints

from pacer.errors import PacerError, near
from pacer.names import parse_piece
from pacer.runs.codec import decode

T = TypeVar("T")


def changed(piece: T, changes: Mapping[str, Any], where: str = "") -> T:
    """The piece with other values. All are set at once, so that only the result has to fit together."""
    inner: dict[str, dict[str, Any]] = {}
    for dotted, value in changes.items():
        name, _, rest = dotted.partition(".")
        inner.setdefault(name, {})[rest] = value
    values = {name: _value(piece, name, given, f"{where}.{name}".lstrip(".")) for name, given in inner.items()}
    try:
        return replace(piece, **values)  # type: ignore[type-var]
    except ValueError as error:
        raise PacerError(str(error)) from error


def _value(piece: Any, name: str, given: dict[str, Any], where: str) -> Any:
    """The new value of one field: given as a whole (under ''), or changed within, or both."""
    known = [f.name for f in fields(piece)] if is_dataclass(piece) else []
    if name not in known:
        holder = where.rpartition(".")[0] or "overrides"
        held = f"has no field {name!r}.{near(name, known)} It has {', '.join(known)}"
        raise PacerError(f"{holder} ({type(piece).__name__}) {held if known else 'has no fields'}")
    value = getattr(piece, name)
    if "" in given:
        value = _fitting(given.pop(""), get_type_hints(type(piece))[name], where)
    return changed(value, given, where) if given else value


def _fitting(value: Any, hint: Any, where: str) -> Any:
    """The value as its field declares it: a list as a tuple, an integer as a float, a piece by its name."""
    if isinstance(hint, type) and hint not in (str, int, float, bool):  # a family of pieces
        if is_dataclass(value) and isinstance(value, hint):
            return tidied(value, where)
        if isinstance(value, str):
            return parse_piece(value, hint)
    return decode(whole(value, where) if hint is int else plain(value), hint, where)


def tidied(piece: T, where: str) -> T:
    """A piece whose values, and those of the pieces in it, are what its fields declare, such as tuples for lists."""
    hints = get_type_hints(type(piece))

    def tidy(name: str, value: Any) -> Any:
        here = f"{where}.{name}"
        return tidied(value, here) if is_dataclass(value) else _fitting(value, hints[name], here)

    values = {f.name: getattr(piece, f.name) for f in fields(piece)}  # type: ignore[arg-type]
    tidy_piece = replace(piece, **{name: tidy(name, value) for name, value in values.items()})  # type: ignore[type-var]
    try:
        hash(tidy_piece)
    except TypeError as error:
        raise PacerError(
            f"{where} ({type(piece).__name__}) cannot be compiled in, {error}: expected @dataclass(frozen=True) whose "
            "fields are numbers, strings, tuples and other pieces"
        ) from error
    return tidy_piece


def plain(value: Any) -> Any:
    """Sequences as lists, NumPy's numbers as Python's."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def whole(value: Any, where: str, least: int | None = None) -> int:
    """A whole number, which may be written as 2e3."""
    number = plain(value)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or (least is not None and number < least):
        raise PacerError(f"{where} is {number!r}: expected a whole number{'' if least is None else f' from {least}'}")
    return number


def differences(old: Any, new: Any) -> dict[str, Any]:
    """What `changed` would take to make one dataclass of the other, by dotted names."""
    found: dict[str, Any] = {}
    for name in (f.name for f in fields(old)):
        before, after = getattr(old, name), getattr(new, name)
        if is_dataclass(after) and type(before) is type(after):
            found |= {f"{name}.{inner}": value for inner, value in differences(before, after).items()}
        elif before != after:
            found[name] = after
    return found
