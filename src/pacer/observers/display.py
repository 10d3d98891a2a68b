"""What a run shows while it goes: a live panel on a terminal, a line per evaluation elsewhere."""

import math
import sys
import time
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table

from pacer.config import Config

REFRESH = 0.25  # seconds


class Display:
    """Receives the facts of a run as they come, and shows the latest of each."""

    def __init__(self, config: Config, quiet: bool = False) -> None:
        self._config = config
        self._console = Console()
        self._facts: dict[str, Any] = {}
        self._started = time.monotonic()
        self._first_step: int | None = None
        self._drawn = 0.0
        self._quiet = quiet
        self._live = Live(console=self._console, auto_refresh=False) if self._on_terminal() else None

    def __enter__(self) -> "Display":
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._live:
            self._live.update(self._panel(), refresh=True)
            self._live.stop()

    def __call__(self, facts: dict[str, Any]) -> None:
        if warning := facts.get("warning"):
            self._console.print(f"[yellow]{warning}")
            return
        self._facts.update(facts)
        if self._first_step is None:
            self._first_step = facts["step"] - self._config.schedule.block
        if self._live:
            if time.monotonic() - self._drawn > REFRESH:
                self._live.update(self._panel(), refresh=True)
                self._drawn = time.monotonic()
        elif not self._quiet and "greedy" in facts:
            print(self._line(), flush=True)

    def _on_terminal(self) -> bool:
        return not self._quiet and self._console.is_terminal and sys.stdout.isatty()

    def _speed(self) -> tuple[float, float]:
        """Updates per second of learning time so far, and seconds to go."""
        elapsed = time.monotonic() - self._started
        done = self._facts.get("step", 0) - (self._first_step or 0)
        rate = done / elapsed if elapsed > 0 else 0.0
        updates = rate * self._config.schedule.updates / self._config.schedule.block
        remaining = self._config.steps - self._facts.get("step", 0)
        return updates, remaining / rate if rate else math.nan

    def _line(self) -> str:
        updates, left = self._speed()
        return (
            f"step {self._facts['step']:>8,}  greedy {_number(self._facts['greedy']):>9}  "
            f"sampled {_number(self._facts['sampled']):>9}  training {_number(self._facts.get('train_return')):>9}  "
            f"distance {_number(self._facts.get('distance')):>7}  weight {_number(self._facts.get('weight')):>7}  "
            f"{updates:6.0f} updates/s  {_duration(left)} left"
        )

    def _panel(self) -> Panel:
        updates, left = self._speed()
        step, total = self._facts.get("step", 0), self._config.steps
        rows = [
            ("steps", f"{step:,} of {total:,}", "time left", _duration(left)),
            ("training return", self._fact("train_return"), "episodes", f"{self._facts.get('episodes', 0):,}"),
            ("evaluation, greedy", self._fact("greedy"), "evaluation, sampled", self._fact("sampled")),
            ("encourager distance", self._fact("distance"), "encourager weight", self._fact("weight")),
            ("updates per second", f"{updates:.0f}", "critic loss", self._fact("critic_loss")),
        ]
        table = Table.grid(padding=(0, 2), expand=True)
        for _ in range(2):
            table.add_column(style="dim")
            table.add_column(justify="right", style="bold")
        for row in rows:
            table.add_row(*row)
        content = Table.grid(expand=True)
        content.add_row(ProgressBar(total=total, completed=step))
        content.add_row(table)
        title = f"{self._config.label} on {self._config.environment}, seed {self._config.seed}"
        return Panel(content, title=title, width=min(96, self._console.width))

    def _fact(self, name: str) -> str:
        return _number(self._facts.get(name))


def _number(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _duration(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "-"
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
