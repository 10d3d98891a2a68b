"""The error that is meant for the user: it says what was wrong, what was expected and what to do."""

import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

LONGEST_MESSAGE, LONGEST = 4_000, 300  # characters of a message, and of a value in it


class PacerError(Exception):
    """Something the user can mend. The command line prints it without a traceback.

    A message may quote a file that a stranger wrote: nothing in it can steer a terminal, and its length is bounded.
    """

    def __str__(self) -> str:
        return printable(super().__str__(), LONGEST_MESSAGE)


def printable(text: str, longest: int = LONGEST) -> str:
    """The text with characters that are not for reading as escapes, and cut if it is too long."""
    cut = text if len(text) <= longest else f"{text[:longest]}..."
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in cut)


def shown(value: Any) -> str:
    """What a message calls a value that somebody else made: its repr, if that works and is not endless."""
    try:
        return printable(repr(value))
    except Exception:
        return f"<{type(value).__name__} that cannot be printed>"


class EnvironmentFailed(PacerError):
    """An environment raised an error. `trace` is that error's traceback, as text: it may be of another process."""

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.trace)


def option(name: str, in_python: str = "") -> str:
    """An option in a message, as both doors call it."""
    return f"--{name} ({in_python or name.replace('-', '_')}= in Python)"


def trace_of(error: BaseException) -> str:
    """The traceback of an error, without the frame that caught it."""
    shown_from = error.__traceback__.tb_next if error.__traceback__ else None
    try:
        return "".join(traceback.format_exception(type(error), error, shown_from))
    except Exception as second:  # an error that cannot even be printed
        return f"{type(error).__name__}, which cannot be printed: {type(second).__name__}\n"


def near(name: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' for the names nearest to `name`, or nothing."""
    folded = {k.lower(): k for k in known}
    matches = [folded[m] for m in get_close_matches(name[:LONGEST].lower(), folded, n=3, cutoff=0.5)]
    return f" Did you mean {' or '.join(matches)}?" if matches else ""
