"""How a run is ended early, with a checkpoint; and what the signals mean."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

INTERRUPTED = 128 + signal.SIGINT  # the exit code of a run that Ctrl-C ended


class Stopped(Exception):
    """A signal or an observer ended the run at a complete block, with a checkpoint."""

    def __init__(self, by: str, exit_code: int = 0) -> None:
        super().__init__(by)
        self.exit_code = exit_code


def say(text: bytes) -> None:
    """Straight to standard error: a handler may have interrupted a print."""
    with suppress(OSError):
        os.write(2, text)


@contextmanager
def signals(*asks: Callable[[Stopped], object], save: Callable[[], object] = lambda: None) -> Iterator[None]:
    """SIGINT and SIGTERM ask for an end: the first one the first of `asks`, and so on.

    The one after the last is left to whoever handled it before, and ends at once. SIGHUP, a terminal that went away,
    asks for no more than a checkpoint.
    """
    left = list(asks)

    def receive(number: int, frame: Any) -> None:
        if left:
            left.pop(0)(Stopped(signal.Signals(number).name, 128 + number))
            return
        signal.signal(number, previous[number] or signal.SIG_DFL)
        signal.raise_signal(number)

    try:
        previous: dict[int, Any] = {s: signal.signal(s, receive) for s in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not in the main thread: signals are somebody else's
        yield
        return
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
        previous[signal.SIGHUP] = signal.signal(signal.SIGHUP, lambda number, frame: save())
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler or signal.SIG_DFL)  # nothing: one that is not Python's


class Interrupted(KeyboardInterrupt):
    """A signal ended what has nothing to save, but something to tidy up."""

    def __init__(self, exit_code: int) -> None:
        super().__init__()
        self.exit_code = exit_code


@contextmanager
def tidying() -> Iterator[None]:
    """A signal raises an exception here, once; without this the command line leaves at once and tidies nothing up."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def receive(number: int, frame: Any) -> None:
        for each, handler in previous.items():
            signal.signal(each, handler)
        raise Interrupted(128 + number)

    previous = {number: signal.signal(number, receive) for number in numbers}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
