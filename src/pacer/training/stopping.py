"""How a run is ended early: after the current block, with a checkpoint."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Stopped(Exception):
    """A signal or an observer ended the run after a complete block and a checkpoint."""

    def __init__(self, by: str, exit_code: int = 0) -> None:
        super().__init__(by)
        self.exit_code = exit_code


@contextmanager
def signals(ask: Callable[[Stopped], None]) -> Iterator[None]:
    """SIGINT and SIGTERM ask for an end; a second one makes it at once."""
    asked = False

    def receive(number: int, frame: Any) -> None:
        nonlocal asked
        if asked:
            raise SystemExit(128 + number)
        asked = True
        ask(Stopped(signal.Signals(number).name, 128 + number))

    try:
        previous = {s: signal.signal(s, receive) for s in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not in the main thread: signals are somebody else's
        yield
        return
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
