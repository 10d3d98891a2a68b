"""What a run shows while it goes: a live panel on a terminal, a line per evaluation elsewhere."""

import math
import sys
import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pacer.observers.events import Evaluated, Event, Finished, Progress, Started, Warned

if TYPE_CHECKING:
    from pacer.config import Config

REFRESH = 0.25  # seconds
ENCOURAGEMENT = ("distance", "log_density", "weight")  # what recipes with an encourager report


class Display:
    """Keeps the latest figures of a run and shows them."""

    def __init__(self, config: "Config", quiet: bool = False) -> None:
        self._config = config
        self._quiet = quiet
        self._console = Console()
        self._live: Live | None = None
        self._figures: dict[str, float] = {}
        self._first = self._step = self._episodes = 0
        self._started = self._drawn = time.monotonic()

    def __enter__(self) -> "Display":
        return self

    def __exit__(self, *error: Any) -> None:
        self._close()

    def __call__(self, event: Event) -> None:
        match event:
            case Started():
                self._open(event.step)
            case Progress():
                self._step, self._episodes = event.step, event.episodes
                self._figures |= {"training": event.train_return, **event.metrics}
                self._draw()
            case Evaluated():
                self._figures |= {"greedy": event.mean("greedy"), "sampled": event.mean("sampled")}
                self._draw()
                if not self._live:
                    self._say(self._line())
            case Warned():
                self._warn(event.message)
            case Finished():
                self._close()

    def _open(self, step: int) -> None:
        self._first = self._step = step
        self._started = time.monotonic()
        if step:
            self._say(f"continuing from step {step:,}")
        if self._on_terminal() and not self._quiet:
            self._live = Live(self._panel(), console=self._console, auto_refresh=False)
            self._live.start(refresh=True)

    def _on_terminal(self) -> bool:
        return self._console.is_terminal and sys.stdout.isatty()  # the first alone may be asked for by a variable

    def _close(self) -> None:
        if self._live:
            self._live.update(self._panel(), refresh=True)
            self._live.stop()
            self._live = None

    def _draw(self) -> None:
        if self._live and time.monotonic() - self._drawn > REFRESH:
            self._live.update(self._panel(), refresh=True)
            self._drawn = time.monotonic()

    def _say(self, text: str) -> None:
        if not self._quiet:
            print(text, flush=True)

    def _warn(self, message: str) -> None:
        """Said whether the run is quiet or not."""
        if self._live:
            self._console.print(message, style="yellow", markup=False, highlight=False)
        else:
            print(f"pacer: {message}", file=sys.stderr, flush=True)

    def _speed(self) -> tuple[float, float]:
        """Updates per second since the start, and seconds to go."""
        elapsed = time.monotonic() - self._started
        rate = (self._step - self._first) / elapsed if elapsed > 0 else 0.0
        updates = rate * self._config.schedule.updates / self._config.schedule.block
        return updates, (self._config.steps - self._step) / rate if rate else math.nan

    def _line(self) -> str:
        updates, left = self._speed()
        names = ["greedy", "sampled", "training", *self._encouragement()]
        figures = "  ".join(f"{_words(name)} {self._figure(name):>8}" for name in names)
        return f"step {self._step:>9,}  {figures}  {updates:6.0f} updates/s  {duration(left)} left"

    def _panel(self) -> Panel:
        updates, left = self._speed()
        cells = [
            ("steps", f"{self._step:,} of {self._config.steps:,}"),
            ("time left", duration(left)),
            ("training return", self._figure("training")),
            ("episodes", f"{self._episodes:,}"),
            ("evaluation, greedy", self._figure("greedy")),
            ("evaluation, sampled", self._figure("sampled")),
            ("updates per second", f"{updates:.0f}"),
            ("critic loss", self._figure("critic_loss")),
            *((_words(name), self._figure(name)) for name in self._encouragement()),
        ]
        table = Table.grid(padding=(0, 2), expand=True)
        for _ in range(2):
            table.add_column(style="dim")
            table.add_column(justify="right", style="bold")
        for left_cell, right_cell in zip(cells[::2], [*cells[1::2], ("", "")], strict=False):
            table.add_row(*left_cell, *right_cell)
        content = Table.grid(expand=True)
        content.add_row(ProgressBar(total=self._config.steps, completed=self._step))
        content.add_row(table)
        title = f"{self._config.label} on {self._config.environment}, seed {self._config.seed}"
        return Panel(content, title=Text(title), width=min(96, self._console.width))

    def _encouragement(self) -> list[str]:
        """Names of the encourager's figures; where the weight is nothing there is no encourager."""
        return [name for name in ENCOURAGEMENT if name in self._figures and self._figures.get("weight") != 0]

    def _figure(self, name: str) -> str:
        return _number(self._figures.get(name, math.nan))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def duration(seconds: float) -> str:
    """Hours, minutes and seconds."""
    if not math.isfinite(seconds):
        return "-"
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
