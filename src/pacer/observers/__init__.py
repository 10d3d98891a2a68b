"""What watches a run: typed events, and those who receive them."""

from pacer.observers.audience import STOP, Audience, Observer
from pacer.observers.events import Episode, Evaluated, Event, Finished, Progress, Started, Warned

__all__ = ["STOP", "Audience", "Episode", "Evaluated", "Event", "Finished", "Observer", "Progress", "Started", "Warned"]
