"""Standard output and error that may go away, as with `| head`, a full disk or a lost terminal: nobody fails by it."""

import os
import sys
from contextlib import suppress
from typing import Any, TextIO


class Lasting:
    """A stream that goes silent instead of raising an error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            self._silence()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._silence()

    def _silence(self) -> None:
        """What is still in the buffer goes nowhere, or the interpreter would complain of it at the end."""
        with suppress(OSError):  # a stream of no descriptor
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


def outlast_streams() -> None:
    """Make the standard streams of this process last."""
    for number, name in ((0, "stdin"), (1, "stdout"), (2, "stderr")):
        try:
            os.fstat(number)
        except OSError:  # closed: a file of the run must not be opened under this number, and be printed to
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
    for name in ("stdout", "stderr"):
        setattr(sys, name, Lasting(getattr(sys, name)))
