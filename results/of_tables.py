"""Tables of what scripts measured, from the files of results/tables: those of the pages, by name."""

import csv
from collections.abc import Iterable
from itertools import product

import numpy as np
from of_runs import MUJOCO
from table import filled, markdown

from pacer.envs.navigation.tasks import TASKS
from pacer.reports.reference import DATA

Rows = list[dict[str, str]]


def where(rows: Rows, **values: object) -> Rows:
    return [row for row in rows if all(row[name] == str(value) for name, value in values.items())]


def column(rows: Rows, name: str) -> list[float]:
    return [float(row[name]) for row in rows]


def values(rows: Rows, name: str, digits: int) -> str:
    return ", ".join(f"{value:.{digits}f}" for value in column(rows, name))


def names(rows: Rows, column: str) -> Iterable[str]:
    return dict.fromkeys(row[column] for row in rows)


ACTORS = ("push-forward", "semi-implicit", "flow", "Gaussian")
RULES = {"pacer": "`pacer`", "pacer-m, weight 1": "MMD, weight 1"}


def modes() -> str:
    """Peaks that are kept, of each seed, and the share of all samples that lies at peaks."""
    rows, shapes = filled("modes"), list(product((1, 2), (2, 4, 8)))

    def cell(rule: str, actor: str, dimensions: int, peaks: int) -> str:
        seeds = where(rows, rule=rule, actor=actor, dimensions=dimensions, peaks=peaks)
        return f"{values(seeds, 'kept', 0)} ({np.mean(column(seeds, 'share_at_peaks')):.2f})"

    body = [
        (f"{words}: {actor}", *(cell(rule, actor, *shape) for shape in shapes))
        for rule, words in RULES.items()
        for actor in ACTORS
    ]
    return markdown([f"{dimensions}-D, {peaks} peaks" for dimensions, peaks in shapes], body)


def greedy_on_bandits() -> str:
    """Mean reward of push-forward actors over seeds, one and two dimensions; a peak pays 1."""
    rules = {"sampled": "sampled", "best_of_32": "best of 32 by the critic", "zero": "zero noise"}
    rules |= {"medoid": "medoid of 65", "densest": "**densest**"}
    kinds = {"2 peaks": ("2",), "4 and 8 peaks": ("4", "8")}
    body = []
    for (rule, words), (kind, peaks) in product(RULES.items(), kinds.items()):
        found = [row for row in where(filled("modes"), rule=rule, actor="push-forward") if row["peaks"] in peaks]
        body.append((f"{words}, {kind}", *(f"{np.mean(column(found, name)):.2f}" for name in rules)))
    return markdown(tuple(rules.values()), body)


def greedy_on_agents() -> str:
    """Mean return of five episodes: seeds 0 and 1 at 100,000 steps, and the mean of six agents of a third seed."""
    rules = {"zero": "zero noise", "medoid": "medoid of 65", "densest": "densest"}
    rules |= {"best of 16": "best of 16 by the critic", "sampled": "sampled"}
    rows = where(filled("greedy"), recipe="pacer")
    body = []
    for env in MUJOCO:
        ends = [row for row in where(rows, environment=env, step=100_000) if row["seed"] != "2"]
        body.append((f"{env}, seeds 0, 1", *(values(where(ends, rule=rule), "mean_return", 0) for rule in rules), ""))
    for env in MUJOCO:
        agents = {rule: column(where(rows, environment=env, seed=2, rule=rule), "mean_return") for rule in rules}
        late = [f"{np.mean(returns[-6:]):.0f}" for returns in agents.values()]
        ahead = np.greater(agents["densest"], agents["medoid"])
        body.append((f"{env}, seed 2, six agents", *late, f"{ahead.sum()} of {len(ahead)}"))
    return markdown((*rules.values(), "densest ahead"), body)


def random_play() -> str:
    rows = filled("random_play")
    noises = {"white": "white", "Pink()": "`Pink()`", "Autoregressive(0.9)": "`Autoregressive(0.9)`"}
    noises |= {
        "Autoregressive(0.98)": "`Autoregressive(0.98)`",
        "Held(16, 2.0)": "held for up to 16 steps, chances like k^-2",
    }
    noises |= {"Held()": "`Held()`: up to 50, like 1/k"}
    measure = "goals or cells in an episode"
    body = [
        (f"`{env}`", *(values(where(rows, environment=env, noise=noise), measure, digits) for noise in noises))
        for env, digits in (("MountainCarContinuous-v0", 2), ("pacer/CarNavigation1-v0", 0))
    ]
    return markdown(tuple(noises.values()), body)


def point_mass() -> str:
    """Cells visited, seeds that stay at the far place at the end, and the share of time there."""
    rows, body = filled("point_mass"), []
    for recipe in names(rows, "recipe"):
        seeds = where(rows, recipe=recipe)
        cells, far = column(seeds, "cells"), np.array(column(seeds, "far_greedy"))
        share = np.mean(column(seeds, "far_sampled"))
        body.append(
            (recipe, f"{min(cells):.0f} to {max(cells):.0f}", f"{(far > 0.5).sum()} of {len(far)}", f"{share:.2f}")
        )
    head = ("cells, least to most", "seeds at the far place, greedy", "share of time there, sampled, mean")
    return markdown(head, body)


def standing() -> str:
    """What the best place to stand pays in an episode, beside the paper's scores."""
    rows, body = filled("standing"), []
    for reading in names(rows, "contact radii"):
        found = where(rows, **{"contact radii": reading})
        body.append((reading, *(values(where(found, task=task), "return", 0) for task in TASKS)))
    with (DATA / "paper_navigation.csv").open(newline="") as file:
        paper = list(csv.DictReader(file))
    scores = [column(where(paper, environment=f"Env{task[-1]}"), "max_average_return") for task in TASKS]
    body.append(("the paper's best to worst of six", *(f"{max(task):.0f} to {min(task):.0f}" for task in scores)))
    return markdown(tuple(TASKS), body, "contact radius of moving, immovable treasures")


def drivers() -> str:
    """`pacer` and `pacer-soft` by risk measure, of each seed."""
    kept = where(filled("driver"), weight="FlooredDual:1:0:1")
    risks = list(names(kept, "risk"))
    measures = {"speed, seeds 0, 1, 2": ("speed", 2), "crashes in an episode": ("crashes", 1)}
    measures |= {"return": ("return", 0), "mean of its worst 12 of 50": ("worst quarter", 0)}
    body = [
        (f"`{recipe}`: {words}", *(values(where(kept, recipe=recipe, risk=risk), *measure) for risk in risks))
        for recipe in names(kept, "recipe")
        for words, measure in measures.items()
    ]
    return markdown([f"`{risk}`" for risk in risks], body)
