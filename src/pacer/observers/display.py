"""What a run shows while it goes: a live panel on a terminal, lines elsewhere."""

import math
import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pacer.observers.events import Evaluated, Event, Finished, Phase, Progress, Started, Warned
from pacer.observers.pace import Pace

if TYPE_CHECKING:
    from pacer.config import Config

REFRESH = 0.25  # seconds between two pictures of the panel
SILENCE = 30.0  # seconds after which a line says where the run is
ENCOURAGEMENT = ("distance", "log_density", "weight")  # what recipes with an encourager report


class Display:
    """Keeps the latest figures of a run and shows them."""

    def __init__(self, config: "Config", quiet: bool = False) -> None:
        self._config = config
        self._quiet = quiet
        self._console = Console()
        self._live: Live | None = None
        self._terminal: int | None = None
        self._pace = Pace(config)
        self._figures: dict[str, float] = {}
        self._step = self._episodes = 0
        self._best, self._phase, self._name = -math.inf, "starting", ""
        self._drawn = self._said = time.monotonic()

    def __enter__(self) -> "Display":
        return self

    def __exit__(self, *error: Any) -> None:
        self._close()

    def __call__(self, event: Event) -> None:
        self._pace(event)
        match event:
            case Started():
                self._open(event)
            case Phase():
                self._phase = event.name
                if event.name == "compiling":
                    self._say(f"step {self._step:>9,}  compiling the updates: up to a minute, and less the next time")
                self._draw(at_once=True)
            case Progress():
                self._step, self._episodes = event.step, event.episodes
                self._figures |= {"training": event.train_return, **event.metrics}
                self._phase = "learning" if event.metrics else "collecting"
                self._draw()
                if time.monotonic() - self._said > SILENCE:
                    self._say(self._line())
            case Evaluated():
                self._figures |= {"greedy": event.mean("greedy"), "sampled": event.mean("sampled")}
                self._best = max(self._best, event.mean("greedy"))
                self._draw()
                self._say(self._line())
            case Warned():
                self._warn(event.message)
            case Finished():
                self._phase = event.status
                self._close()
                self._say(f"{event.status} at step {event.step:,} after {duration(self._pace.elapsed)}")

    def _open(self, event: Started) -> None:
        self._step, self._best = event.step, event.best
        if not self._quiet and self._on_terminal():
            self._terminal = claim_terminal()
            # Where another run has the terminal, lines say whose they are.
            self._name = "" if self._terminal is not None else f"[{self._title()}] "
        where = f"continuing from step {event.step:,} of" if event.step else "to learn for"
        self._say(f"{self._title()}: {where} {self._config.steps:,} steps")
        if self._terminal is not None:
            self._live = Live(self._panel(), console=self._console, auto_refresh=False)
            self._live.start(refresh=True)

    def _on_terminal(self) -> bool:
        return self._console.is_terminal and sys.stdout.isatty()  # the first alone may be asked for by a variable

    def _close(self) -> None:
        if self._live:
            self._live.update(self._panel(), refresh=True)
            self._live.stop()
            self._live = None
        if self._terminal is not None:
            os.close(self._terminal)
            self._terminal = None

    def _draw(self, at_once: bool = False) -> None:
        if self._live and (at_once or time.monotonic() - self._drawn > REFRESH):
            self._live.update(self._panel(), refresh=True)
            self._drawn = time.monotonic()

    def _say(self, text: str) -> None:
        """A line, where no panel says it."""
        self._said = time.monotonic()
        if not self._quiet and not self._live:
            print(f"{self._name}{text}", flush=True)

    def _warn(self, message: str) -> None:
        """Said whether the run is quiet or not."""
        if self._live:
            self._console.print(message, style="yellow", markup=False, highlight=False)
        else:
            print(f"pacer: {self._name}{message}", file=sys.stderr, flush=True)

    def _title(self) -> str:
        return f"{self._config.label} on {self._config.environment}, seed {self._config.seed}"

    def _line(self) -> str:
        names = ["greedy", "sampled", "training", *self._encouragement()]
        figures = [f"{_words(name)} {self._figure(name):>8}" for name in names if name in self._figures]
        times = f"{duration(self._pace.elapsed)} gone, {duration(self._pace.left)} left"
        speed = f"{_number(self._pace.updates_per_second)} updates/s"
        return "  ".join([f"step {self._step:>9,}", *figures, f"best {_number(self._best):>8}", speed, times])

    def _panel(self) -> Panel:
        shown = {"training": "training return", "greedy": "evaluation, greedy", "sampled": "evaluation, sampled"}
        cells = [
            ("steps", f"{self._step:,} of {self._config.steps:,}"),
            ("now", self._phase),
            ("time gone", duration(self._pace.elapsed)),
            ("time left", duration(self._pace.left)),
            ("episodes", f"{self._episodes:,}"),
            ("updates per second", _number(self._pace.updates_per_second)),
            *((meaning, self._figure(name)) for name, meaning in shown.items()),
            ("best, greedy", _number(self._best)),
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
        return Panel(content, title=Text(self._title()), width=min(96, self._console.width))

    def _encouragement(self) -> list[str]:
        """Names of the encourager's figures; where the weight is nothing there is no encourager."""
        return [name for name in ENCOURAGEMENT if name in self._figures and self._figures.get("weight") != 0]

    def _figure(self, name: str) -> str:
        return _number(self._figures.get(name, math.nan))


def claim_terminal() -> int | None:
    """The terminal for this run's panel alone; nothing where another run has it, since two would garble each other."""
    with suppress(ImportError, OSError):
        import fcntl

        terminal = os.open(os.ttyname(sys.stdout.fileno()), os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            fcntl.flock(terminal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(terminal)
            raise
        return terminal
    return None


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
