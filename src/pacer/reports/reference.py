"""What others report: the paper's tables and published levels of other methods. Sources: data/README.md."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"

# The paper's names of our recipes, in the order of its tables. Only an unchanged recipe is the paper's.
PAPER_NAMES = {
    "pacer-m": "PACER_M",
    "pacer-w": "PACER_W",
    "pacer-m-adaptive": "PACER_M-adaptive",
    "idac": "IDAC",
    "dsac": "DSAC",
    "sac": "SAC",
    "lsp": "LSP",
    "sql": "SQL",
    "td3": "TD3",
    "ddpg": "DDPG",
    "m1p0": "M1P0",
    "w1p0": "W1P0",
    "m0p1g": "M0P1G",
    "m0p1": "M0P1",
    "m0p0g": "M0P0G",
    "m0p0": "M0P0",
}
PAPER_STEPS = 1_000_000


@dataclass(frozen=True)
class Score:
    """The paper's max average return, and its deviation over seeds where it is printed."""

    value: float
    deviation: float | None = None


@dataclass(frozen=True)
class Level:
    """What a published method reached, on average over its seeds, after so many steps."""

    method: str
    steps: int
    score: float
    note: str = ""
    """Its seeds, and what else differs."""


def plain_label(label: str) -> str:
    """A label without its size, which changes numbers but no piece."""
    return label.removesuffix("-paper")


def paper_name(label: str) -> str | None:
    """The paper's name of a label, or nothing where the recipe is not in the paper or was changed."""
    return PAPER_NAMES.get(plain_label(label))


def paper_task(environment: str) -> str | None:
    """The paper's name of an environment. Later versions of the MuJoCo tasks have other rewards, and so no name."""
    if car := re.fullmatch(r"(?:pacer/)?CarNavigation([1-4])-v0", environment):
        return f"Env{car[1]}"
    task = re.fullmatch(r"(\w+)-v[1-4]", environment)
    return task[1] if task and task[1] in mujoco_tasks() else None


def paper_score(label: str, environment: str) -> Score | None:
    """The paper's number for a recipe on an environment: 7 seeds, 1M steps."""
    return _paper().get((paper_name(label) or "", paper_task(environment) or ""))


def published(environment: str) -> list[Level]:
    """Levels that other methods reached on an environment, by method and steps."""
    return _published().get(paper_task(environment) or "", [])


def sac_level(environment: str, steps: int) -> Level | None:
    """SAC's published level at the last point within `steps`, or its first; else the paper's, which is at 1M."""
    levels = [level for level in published(environment) if level.method == "SAC u1"]  # by steps
    if levels:
        return [levels[0], *(level for level in levels if level.steps <= steps)][-1]
    paper = paper_score("sac", environment)
    return Level("SAC (paper)", PAPER_STEPS, paper.value) if paper else None


@cache
def mujoco_tasks() -> tuple[str, ...]:
    return tuple(dict.fromkeys(row["environment"] for row in _rows("paper_mujoco")))


@cache
def _paper() -> dict[tuple[str, str], Score]:
    scores: dict[tuple[str, str], Score] = {}
    for row in [*_rows("paper_ablation"), *_rows("paper_adaptive"), *_rows("paper_mujoco"), *_rows("paper_navigation")]:
        key = row.get("algorithm", row.get("name", "")), row.get("environment", "HumanoidStandup")
        deviation = float(row["std"]) if "std" in row else None
        scores[key] = Score(float(row["max_average_return"]), deviation)  # the last has the deviation
    return scores


@cache
def _published() -> dict[str, list[Level]]:
    """Both files by task; where they share a point, the one that is not rounded."""
    levels: dict[tuple[str, str, int], float] = {}
    notes: dict[str, str] = {}
    for row in [*_rows("published_curves"), *_rows("leaders")]:
        method, _, note = row["method"].removesuffix(")").partition(" (")
        notes.setdefault(method, note)
        levels[row["environment"].removesuffix("-v4"), method, int(row["steps"])] = float(row["mean_return"])
    tasks: dict[str, list[Level]] = {}
    for (task, method, steps), score in sorted(levels.items()):
        tasks.setdefault(task, []).append(Level(method, steps, score, notes[method]))
    return tasks


def _rows(name: str) -> Sequence[dict[str, str]]:
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
