"""What watches a run: typed events, and those who receive them."""

from pacer.observers.audience import STOP, Audience, Observer
from pacer.observers.events import Episode, Evaluated, Event, Finished, Phase, Progress, Started, Warned

__all__ = [
    "STOP",
    "Audience",
    "Episode",
    "Evaluated",
    "Event",
    "Finished",
    "Observer",
    "Phase",
    "Progress",
    "Started",
    "Warned",
]
