"""All tables of a set of runs."""

from pacer.reports.cells import cells
from pacer.reports.dataset import Dataset
from pacer.reports.episodes import episode_table
from pacer.reports.statistics import Array
from pacer.reports.tables import tables
from pacer.reports.text import Table

MODE = "greedy"


def results(dataset: Dataset) -> list[Table]:
    """Scores beside the paper's, then the episodes of each task."""
    episodes: dict[str, dict[str, list[dict[str, Array]]]] = {}
    for run in dataset.complete:
        if MODE in run.evaluations["mode"]:
            columns = {
                name: run.late(MODE, name) for name in run.evaluations if name not in ("step", "mode", "episode")
            }
            episodes.setdefault(run.environment, {}).setdefault(run.label, []).append(columns)
    scores = tables(cells((run.scored for run in dataset.runs), MODE))
    return [*scores, *(episode_table(environment, labels) for environment, labels in episodes.items())]
