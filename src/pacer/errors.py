"""The error that is meant for the user: it says what was wrong, what was expected and what to do."""

from collections.abc import Iterable
from difflib import get_close_matches


class PacerError(Exception):
    """Something the user can mend. The command line prints it without a traceback."""


def near(name: str, known: Iterable[str]) -> str:
    """' Did you mean ...?' for the names nearest to `name`, or nothing."""
    folded = {k.lower(): k for k in known}
    matches = [folded[m] for m in get_close_matches(name.lower(), folded, n=3, cutoff=0.5)]
    return f" Did you mean {' or '.join(matches)}?" if matches else ""
