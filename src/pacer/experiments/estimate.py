"""What a plan costs on this machine: every kind of recipe is run for a moment, once per machine and revision."""

import hashlib
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pacer.config import Config, Schedule
from pacer.envs.make import make, maker
from pacer.errors import PacerError
from pacer.experiments.plan import Job
from pacer.observers import STOP, Evaluated, Event, Progress
from pacer.runs.codec import encode
from pacer.runs.files import load_json, save_json
from pacer.runtime import cache_folder, processor, source
from pacer.training.execute import execute
from pacer.training.stopping import Stopped

BLOCK = 50  # steps and updates
COLLECTED, LEARNED = 8, 6  # blocks before the first update, and with updates
EPISODE = 1000  # steps, of an environment without a limit


@dataclass(frozen=True)
class Speed:
    """Seconds on one core."""

    update: float
    step: float
    """Of training: acting, the environment, remembering."""
    evaluation_step: float

    def of(self, config: Config, episode: int) -> float:
        """Seconds for a whole run whose evaluations have episodes of this length."""
        schedule = config.schedule
        updates = max(0, config.steps - schedule.learn_after) // schedule.block * schedule.updates
        evaluations = math.ceil(config.steps / schedule.evaluate_every) * schedule.evaluation_episodes * 2
        return updates * self.update + config.steps * self.step + evaluations * episode * self.evaluation_step


def estimate(jobs: Iterable[Job]) -> list[float]:
    """Seconds for every run; recipes that differ in real numbers only are measured once, on their first environment."""
    speeds: dict[str, Speed] = {}
    episodes: dict[str, int] = {}
    seconds = []
    for job in jobs:
        config = job.config
        kind, env = json.dumps(_kind(encode(config.recipe))), config.environment
        if kind not in speeds:
            speeds[kind] = _known_or_measured(config, kind)
        if env not in episodes:
            episodes[env] = _episode(config)
        seconds.append(speeds[kind].of(config, episodes[env]))
    return seconds


def measure(config: Config) -> Speed:
    """Train for a few hundred updates in a folder of no further use."""
    schedule = Schedule(
        block=BLOCK,
        updates=BLOCK,
        warm_up=BLOCK,
        learn_after=COLLECTED * BLOCK,
        evaluate_every=(COLLECTED + 2) * BLOCK,
        evaluation_episodes=1,
        checkpoint_every=1000 * BLOCK,
        replay_capacity=1000 * BLOCK,
    )
    short = replace(config, steps=1000 * BLOCK, envs=1, schedule=schedule)
    watch = _Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        try:
            execute(short, Path(folder), maker(config.environment, config.environment_options), [watch])
        except Stopped:
            if not watch.satisfied:  # somebody else ended the run, and means all of them
                raise
    return watch.speed()


class _Stopwatch:
    """An observer that notes times, and ends the run when it has enough."""

    essential = True

    def __init__(self) -> None:
        self._blocks: list[Progress] = []
        self._clocks: list[tuple[float, float]] = []
        self._evaluated = 0

    def __call__(self, event: Event) -> Any:
        if isinstance(event, Evaluated) and not self._evaluated:
            self._evaluated = sum(episode.length for episode in event.episodes)
        if isinstance(event, Progress):
            self._blocks.append(event)
            self._clocks.append((time.perf_counter(), time.process_time()))
            return STOP if self.satisfied else None
        return None

    @property
    def satisfied(self) -> bool:
        return len(self._blocks) >= COLLECTED + LEARNED

    def speed(self) -> Speed:
        """Means of the blocks after the first with updates, which compiles; less where the core was shared."""
        warm = self._blocks[COLLECTED + 1 :]
        learned, collected, evaluated = (
            self._share() * sum(block.seconds[name] for block in warm) for name in ("learn", "collect", "evaluate")
        )
        steps = len(warm) * BLOCK
        return Speed(learned / steps, collected / steps, evaluated / max(1, self._evaluated))

    def _share(self) -> float:
        """How much of its core the run had."""
        (wall, cpu), (later_wall, later_cpu) = self._clocks[COLLECTED], self._clocks[-1]
        return min(1.0, (later_cpu - cpu) / (later_wall - wall))


def _known_or_measured(config: Config, kind: str) -> Speed:
    told = json.dumps([kind, config.environment, processor(), source()])
    kept = cache_folder()
    if kept is None:
        return measure(config)
    file = kept / "speeds" / f"{hashlib.sha256(told.encode()).hexdigest()[:16]}.json"
    with suppress(PacerError, TypeError, KeyError):
        return Speed(**load_json(file)["speed"])
    print(f"measuring {config.label} on {config.environment}", file=sys.stderr, flush=True)
    speed = measure(config)
    file.parent.mkdir(parents=True, exist_ok=True)
    save_json(file, {"speed": asdict(speed)})
    return speed


def _kind(value: Any) -> Any:
    """A recipe without its real numbers, which do not change its cost."""
    if isinstance(value, dict):
        return {name: _kind(inner) for name, inner in value.items() if not isinstance(inner, float)}
    return [_kind(inner) for inner in value if not isinstance(inner, float)] if isinstance(value, list) else value


def _episode(config: Config) -> int:
    env = make(config.environment, config.environment_options)
    limit = env.spec.max_episode_steps if env.spec else None
    env.close()
    return limit or EPISODE
