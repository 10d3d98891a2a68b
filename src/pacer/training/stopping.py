"""How a run is ended early, with a checkpoint; and what the signals mean."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

SAID = (
    b"\nstopping: this block is finished and saved; once more, and no step of the environment is waited for\n",
    b"\nsaving; once more ends the run at once, as last saved\n",
)


class Stopped(Exception):
    """A signal or an observer ended the run at a complete block, with a checkpoint."""

    def __init__(self, by: str, exit_code: int = 0) -> None:
        super().__init__(by)
        self.exit_code = exit_code


def _say(text: bytes) -> None:
    """Straight to standard error: a handler may have interrupted a print."""
    with suppress(OSError):
        os.write(2, text)


@contextmanager
def signals(
    ask: Callable[[Stopped], None], hasten: Callable[[], None] = lambda: None, save: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """SIGINT and SIGTERM ask for an end, a second one for an early end; both save what there is.

    A third is left to whoever handled it before, and ends at once. SIGHUP, a terminal that went away, asks for no more
    than a checkpoint.
    """
    received = 0

    def receive(number: int, frame: Any) -> None:
        nonlocal received
        received += 1
        if received > 2:
            signal.signal(number, previous[number] or signal.SIG_DFL)
            signal.raise_signal(number)
        elif received == 2:
            hasten()
        else:
            ask(Stopped(signal.Signals(number).name, 128 + number))
        if number == signal.SIGINT and received <= 2:
            _say(SAID[received - 1])

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
