"""The logs of a run: progress.csv and timings.csv in the rhythm of its schedule, evaluations.csv by the episode."""

from typing import TYPE_CHECKING, Any

from pacer.observers.events import Episode, Evaluated, Event, Progress
from pacer.runs.folder import RunFolder

if TYPE_CHECKING:
    from pacer.config import Config


class CsvLog:
    """Writes rows as they fall due. Times are in a file of their own: equal runs have equal bytes in the others."""

    essential = True

    def __init__(self, folder: RunFolder, config: "Config") -> None:
        self._folder = folder
        self._every, self._last = config.schedule.log_every, config.steps
        self._seconds: dict[str, float] = {}

    def __call__(self, event: Event) -> None:
        if isinstance(event, Progress):
            self._progress(event)
        elif isinstance(event, Evaluated):
            self._evaluated(event)

    def _progress(self, event: Progress) -> None:
        for activity, seconds in event.seconds.items():
            self._seconds[activity] = self._seconds.get(activity, 0.0) + seconds
        due = event.step % self._every == 0 or event.step == self._last
        if due and event.metrics:
            facts = {"step": event.step, "episodes": event.episodes, "train_return": event.train_return}
            self._folder.append("progress.csv", [{**facts, **event.metrics}])
            self._folder.append("timings.csv", [{"step": event.step, **self._seconds}])
            self._seconds = {}

    def _evaluated(self, event: Evaluated) -> None:
        self._folder.append("evaluations.csv", ({"step": event.step, **_row(e)} for e in event.episodes))


def _row(episode: Episode) -> dict[str, Any]:
    return {
        "mode": episode.mode,
        "episode": episode.episode,
        "return": episode.total,
        "length": episode.length,
        "discounted": episode.discounted,
        **episode.measures,
    }
