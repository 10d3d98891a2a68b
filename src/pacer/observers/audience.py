"""Those who watch a run. One that fails is dropped with a warning; the run goes on without it."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from pacer.errors import shown
from pacer.observers.events import Event, Warned


class _Stop:
    def __repr__(self) -> str:
        return "STOP"


STOP: Final = _Stop()
"""What an observer returns to ask for an end of the run, after the current block and with a checkpoint."""

Observer = Callable[[Event], Any]
"""Receives every event. An observer with a true attribute `essential` is part of the run: its errors end it."""


class Audience:
    """Passes events on, in the order of the observers."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._observers = list(observers)
        self.asked_to_stop = False

    def tell(self, event: Event) -> None:
        for observer in list(self._observers):
            if observer not in self._observers:
                continue  # it failed when it was told that another had
            try:
                answer = observer(event)
            except Exception as error:
                if getattr(observer, "essential", False):
                    raise
                self._observers.remove(observer)
                name = getattr(observer, "__name__", type(observer).__name__)
                self.tell(Warned(f"the observer {name} failed and is no longer told anything: {shown(error)}"))
            else:
                self.asked_to_stop |= answer is STOP

    def warn(self, message: str) -> None:
        self.tell(Warned(message))
