"""The tables of a report: each task group beside the paper, and over its tasks; ablation; adaptive weight."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pacer.reports import reference, statistics
from pacer.reports.cells import Cell, Reach, in_sac_units, order
from pacer.reports.statistics import estimate
from pacer.reports.text import NONE, Table, interval, number, plus_minus, steps

GROUPS = {
    "mujoco": "MuJoCo tasks",
    "navigation": "Car navigation",
    "risk": "Risky HalfCheetah",
    "other": "Other tasks",
}
ABLATIONS = ("pacer-m", "pacer-w", "m1p0", "w1p0", "m0p1g", "m0p1", "m0p0g", "m0p0", "dsac")
STANDUP = "HumanoidStandup-v4"
PAPER = "the paper's: 7 seeds, 1M steps"


def tables(cells: Sequence[Cell]) -> list[Table]:
    """Every table that these cells can fill."""
    made = []
    for name, title in GROUPS.items():
        if chosen := [cell for cell in cells if group(cell.environment) == name]:
            made += [_best(name, title, chosen), _scores(name, title, chosen), _over_tasks(name, title, chosen)]
    return [table for table in [*made, _ablation(cells), _adaptive(cells)] if table]


def group(environment: str) -> str:
    """The task group of an environment, a key of GROUPS."""
    task = reference.paper_task(environment)
    if task:
        return "mujoco" if task in reference.mujoco_tasks() else "navigation"
    return "risk" if re.fullmatch(r"pacer/RiskyHalfCheetah.*", environment) else "other"


def _best(name: str, title: str, cells: Sequence[Cell]) -> Table:
    """The paper's layout: a row per algorithm, a column per task."""
    tasks = list(dict.fromkeys(cell.environment for cell in cells))
    labels = sorted({cell.label for cell in cells}, key=order)
    at = {(cell.label, cell.environment): cell for cell in cells}
    note = (
        "Highest point of the mean curve ± deviation of the seeds' own bests, (seeds; of how many begun), "
        f"[{PAPER}]. {_gaps(len(tasks) * len(labels) - len(at), cells)}"
    )
    rows = [[label, *(_best_text(at.get((label, task)), label, task) for task in tasks)] for label in labels]
    return Table(f"{name}-best", f"{title}: max average return", note, ["", *tasks], rows, [_data(c) for c in cells])


def _best_text(cell: Cell | None, label: str, task: str) -> str:
    paper = reference.paper_score(label, task)
    beside = f" [{_paper(paper)}]" if paper else ""
    return (f"{plus_minus(cell.best_of_mean, cell.deviation)} ({_seeds(cell)})" if cell else NONE) + beside


def _gaps(empty: int, cells: Sequence[Cell]) -> str:
    """What an incomplete grid lacks."""
    fullest = max(cell.seeds for cell in cells)
    fewer = sum(cell.seeds < fullest for cell in cells)
    ends = {cell.steps for cell in cells}
    told = [f"cells without a run: {empty}"] * bool(empty)
    told += [f"cells with fewer than {fullest} seeds: {fewer}"] * bool(fewer)
    told += [f"cells differ in steps, {steps(min(ends))} to {steps(max(ends))}"] * (len(ends) > 1)
    return (
        f"Incomplete grid; {'; '.join(told)}." if told else f"Seeds in every cell: {fullest}, of {steps(*ends)} steps."
    )


def _scores(name: str, title: str, cells: Sequence[Cell]) -> Table:
    columns = ["task", "algorithm", "steps", "seeds", "max of mean", "mean of max", "final", "IQM of final"]
    columns += ["area", "paper", "steps to paper's", "steps to SAC's"]
    rows = [
        [
            cell.environment,
            cell.label,
            steps(cell.steps),
            _seeds(cell),
            *map(number, (cell.best_of_mean, cell.mean_of_best, cell.final)),
            number(cell.iqm.value) + interval(cell.iqm.low, cell.iqm.high),
            number(cell.area),
            _paper(cell.paper),
            _reach(cell.to_paper, cell),
            _reach(cell.to_sac, cell),
        ]
        for cell in cells
    ]
    note = (
        "Numbers are of the seeds that came as far as the furthest (of how many begun). Final: last 10 evaluations, "
        "with a 95 % bootstrap interval of its IQM from two seeds on. Area: mean return over the steps. Steps to a "
        "score: its median over seeds (how many reached it); SAC's score is the published one at the last point within "
        f"the steps, or the paper's. {statistics.NARROW}"
    )
    return Table(f"{name}-scores", f"{title}: all scores", note, columns, rows, [_data(cell) for cell in cells])


def _over_tasks(name: str, title: str, cells: Sequence[Cell]) -> Table | None:
    """Aggregates over the tasks of which the paper gives SAC's score, which is the unit."""
    scores = in_sac_units(cells)
    if sum(map(len, scores.values())) < 2:  # a single cell, told already
        return None
    data, rows = [], []
    for label in sorted(scores, key=order):
        mine = scores[label]
        theirs = scores.get(_sac(label, scores), {})
        shared = [task for task in mine if task in theirs and theirs is not mine]
        middle = estimate(statistics.iqm, list(mine.values()))
        wins = statistics.chance([mine[t] for t in shared], [theirs[t] for t in shared])
        others = {
            kind.__name__: estimate(kind, list(mine.values())).value
            for kind in (statistics.mean, statistics.median, statistics.optimality_gap)
        }
        row = {"algorithm": label, "tasks": len(mine), "runs": middle.count, "iqm": middle.value}
        row |= {"iqm_low": middle.low, "iqm_high": middle.high, **others, "improvement": wins.value}
        data.append(row | {"improvement_low": wins.low, "improvement_high": wins.high, "shared_tasks": len(shared)})
        middle_text = number(middle.value) + interval(middle.low, middle.high)
        wins_text = number(wins.value) + interval(wins.low, wins.high)
        rows.append([label, str(len(mine)), str(middle.count), middle_text, *map(number, others.values()), wins_text])
    columns = ["algorithm", "tasks", "runs", "IQM", "mean", "median", "optimality gap", "P(better than SAC)"]
    note = (
        "Final scores in units of the paper's SAC at 1M steps, with 95 % stratified bootstrap intervals. Rows with "
        "different tasks or steps do not compare; the probability is over the tasks that both have, from two seeds of "
        f"both on. {statistics.NARROW}"
    )
    return Table(f"{name}-overall", f"{title}: over all tasks", note, columns, rows, data)


def _sac(label: str, labels: Iterable[str]) -> str:
    """SAC's label in the same size, or nothing."""
    alike = [own for own in labels if reference.plain_label(own) == "sac" and ("-paper" in own) == ("-paper" in label)]
    return alike[0] if alike else ""


def ablation_cells(cells: Sequence[Cell]) -> list[Cell]:
    """The paper's rows on HumanoidStandup in its order, as soon as one that only the ablation has is there."""
    named = [(reference.plain_label(cell.label), cell) for cell in cells if cell.environment == STANDUP]
    if not {name for name, _ in named} & set(ABLATIONS[2:-1]):
        return []
    return [cell for row in ABLATIONS for name, cell in named if name == row]


def _ablation(cells: Sequence[Cell]) -> Table | None:
    chosen = ablation_cells(cells)
    rows = []
    for name in ABLATIONS if chosen else ():
        found = [cell for cell in chosen if reference.plain_label(cell.label) == name]
        rows += [[cell.label, reference.PAPER_NAMES[name], *_beside_paper(cell)] for cell in found] or [
            [name, reference.PAPER_NAMES[name], NONE, "0", NONE, _paper(reference.paper_score(name, STANDUP))]
        ]
    columns = ["algorithm", "in the paper", "max average return", "seeds", "steps", "paper"]
    note = (
        f"Max average return, the highest point of the mean curve ± deviation of the seeds' bests; beside it {PAPER}."
    )
    data = [_data(cell) for cell in chosen]
    return Table("ablation", "Ablation on HumanoidStandup", note, columns, rows, data) if chosen else None


def _adaptive(cells: Sequence[Cell]) -> Table | None:
    """With and without the adaptive weight, where both are there in the same size."""
    at = {(cell.environment, cell.label): cell for cell in cells}
    rows, data = [], []
    for fixed in cells:
        plain = reference.plain_label(fixed.label)
        adaptive = at.get((fixed.environment, fixed.label.replace(plain, f"{plain}-adaptive")))
        if plain in ("pacer-m", "pacer-w") and adaptive:
            for cell in (fixed, adaptive):
                rows.append([cell.environment, cell.label, *_beside_paper(cell)])
                data.append(_data(cell))
    columns = ["task", "algorithm", "max average return", "seeds", "steps", "paper"]
    note = f"Max average return as above; beside it {PAPER}."
    return Table("adaptive", "Fixed and adaptive weight", note, columns, rows, data) if rows else None


def _beside_paper(cell: Cell) -> list[str]:
    return [plus_minus(cell.best_of_mean, cell.deviation), _seeds(cell), steps(cell.steps), _paper(cell.paper)]


def _paper(score: reference.Score | None) -> str:
    return plus_minus(score.value, score.deviation) if score else NONE


def _seeds(cell: Cell) -> str:
    return f"{cell.seeds}" if cell.seeds == cell.begun else f"{cell.seeds} of {cell.begun}"


def _reach(reach: Reach | None, cell: Cell) -> str:
    if not reach:
        return NONE
    when = steps(reach.steps) if math.isfinite(reach.steps) else "not by half" if reach.seeds else "never"
    return f"{number(reach.score)}: {when} ({reach.seeds}/{cell.seeds})"


def _data(cell: Cell) -> dict[str, Any]:
    """All that is known of a cell, for CSV."""
    own = ("environment", "label", "steps", "seeds", "begun", "best_of_mean", "mean_of_best", "deviation", "final")
    row: dict[str, Any] = {name: getattr(cell, name) for name in own}
    row |= {"iqm": cell.iqm.value, "iqm_low": cell.iqm.low, "iqm_high": cell.iqm.high, "area": cell.area}
    row |= {"paper": cell.paper and cell.paper.value, "paper_deviation": cell.paper and cell.paper.deviation}
    for whose, reach in (("paper", cell.to_paper), ("sac", cell.to_sac)):
        row |= {f"{whose}_score": reach and reach.score, f"steps_to_{whose}": reach and reach.steps}
        row |= {f"{whose}_whose": reach and reach.whose, f"seeds_to_{whose}": reach and reach.seeds}
    return row
