"""The error that is meant for the user: it says what was wrong, what was expected and what to do."""

import traceback
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

LONGEST = 300  # characters of a value in a message


class PacerError(Exception):
    """Something the user can mend. The command line prints it without a traceback."""


class EnvironmentFailed(PacerError):
    """An environment raised an error. `trace` is that error's traceback, as text: it may be of another process."""

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.trace)


def trace_of(error: BaseException) -> str:
    """The traceback of an error, without the frame that caught it."""
    shown_from = error.__traceback__.tb_next if error.__traceback__ else None
    try:
        return "".join(traceback.format_exception(type(error), error, shown_from))
    except Exception as second:  # an error that cannot even be printed
        return f"{type(error).__name__}, which cannot be printed: {type(second).__name__}\n"


def shown(value: Any) -> str:
    """What a message calls a value that somebody else made: its repr, if that works and is not endless."""
    try:
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__} that cannot be printed>"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def near(name: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' for the names nearest to `name`, or nothing."""
    folded = {k.lower(): k for k in known}
    matches = [folded[m] for m in get_close_matches(name.lower(), folded, n=3, cutoff=0.5)]
    return f" Did you mean {' or '.join(matches)}?" if matches else ""
