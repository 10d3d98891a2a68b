"""Calls of environments, which may hang: which one is under way, and an end for those that last too long.

An end is an exception in the main thread, raised by a signal that a second thread sends to it. Where that does not
help, because compiled code never returns, the process is ended: what counts is on disk.
"""

import faulthandler
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from pacer.errors import PacerError, option, shown
from pacer.training.stopping import INTERRUPTED, Stopped, say, signals

GRACE = 2.0  # seconds that a call has left when the run is asked to end
LAST = 10.0  # seconds after which a call that cannot be interrupted ends the process
LOOK = 0.25  # seconds between two looks at the call
NUDGE = signal.SIGURG  # which nobody else uses, and which is ignored where nobody listens


class Leave(BaseException):
    """Raised in a call that is no longer waited for: no `except Exception` of an environment holds it up."""


class Call(NamedTuple):
    """A method of an environment, what it was given, and where in the run."""

    environment: str
    method: str
    given: Any
    where: str
    since: float

    def __str__(self) -> str:
        given = "" if self.given is None else shown(self.given)
        return f"{self.method}({given}) of {self.environment} at {self.where}"


class Watch:
    """What a run is asked for while it goes, and which call of an environment it waits for."""

    def __init__(self, limit: float | None = None) -> None:
        """`limit` is in seconds; without one a call may take as long as it wants, until the run is asked to end."""
        if limit is not None and not limit > 0:
            raise PacerError(f"step_timeout is {limit}: expected a number of seconds above 0")
        self.limit = limit
        self.asked: Stopped | None = None
        self.saves_wanted = 0
        self.late: Call | None = None
        """The call that took longer than `limit`."""
        self._hurry: float | None = None  # since when no call has more than the grace
        self._grace = GRACE
        self._call: Call | None = None
        self._over = threading.Event()

    @contextmanager
    def on_duty(self) -> Iterator[None]:
        """Listen to signals, and look after calls."""
        try:
            previous = signal.signal(NUDGE, self._nudged)
        except ValueError:  # not in the main thread, the only one that can be interrupted
            if self.limit is not None:
                raise PacerError("step_timeout works in the main thread only: train there, or without it") from None
            yield
            return
        try:
            with signals(self._ask, self._hasten, save=self._save):
                thread = threading.Thread(target=self._look, args=(threading.get_ident(),), daemon=True)
                thread.start()
                try:
                    yield
                finally:
                    self._over.set()
                    thread.join()
        finally:
            signal.signal(NUDGE, previous or signal.SIG_DFL)

    def begin(self, environment: str, method: str, given: Any, where: str) -> None:
        """A call is about to be made; not once the run is to end."""
        if self.asked:
            raise Leave
        self._call = Call(environment, method, given, where, time.monotonic())

    def begin_last(self, environment: str, method: str) -> None:
        """A call that is made in any case."""
        self._call = Call(environment, method, None, "the end", time.monotonic())

    def end(self) -> None:
        self._call = None

    def explain(self) -> PacerError:
        return PacerError(
            f"{self.late} did not return in {self.limit:g} seconds, as {option('step-timeout')} asks. "
            "The state before it was saved: the same command or call continues the run from there"
        )

    def _ask(self, asked: Stopped) -> None:
        self.asked, self._hurry = asked, time.monotonic()
        if asked.exit_code == INTERRUPTED:
            say(b"\nstopping: what was learned is saved; once more, and no environment is waited for\n")

    def _hasten(self, asked: Stopped) -> None:
        self._grace = 0.0
        if asked.exit_code == INTERRUPTED:
            say(b"\nsaving; once more ends the run at once, as last saved\n")

    def _save(self) -> None:
        self.saves_wanted += 1

    def _look(self, main: int) -> None:
        """The second thread. The last resort also works without it, should the call hold the interpreter's lock."""
        pause, armed = min(LOOK, (self.limit or LOOK) / 4), False
        while not self._over.wait(pause):
            if self._overdue():
                with suppress(ProcessLookupError):
                    signal.pthread_kill(main, NUDGE)
                if not armed:
                    faulthandler.dump_traceback_later(LAST, exit=True)
                armed = True
            elif self.limit is not None:
                faulthandler.dump_traceback_later(self.limit + LAST, exit=True)
                armed = False
            elif armed:
                faulthandler.cancel_dump_traceback_later()
                armed = False
        if armed or self.limit is not None:
            faulthandler.cancel_dump_traceback_later()

    def _overdue(self) -> bool:
        if (call := self._call) is None:
            return False
        now = time.monotonic()
        if self._hurry is not None:
            return now > max(call.since, self._hurry) + self._grace
        return self.limit is not None and now > call.since + self.limit

    def _nudged(self, number: int, frame: Any) -> None:
        if self._overdue():
            if self._hurry is None:
                self.late, self._hurry = self._call, time.monotonic()
            raise Leave  # and again, should the environment swallow it
