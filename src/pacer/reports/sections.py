"""The sections of the page as HTML. One without anything to show is left out."""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

from pacer.reports.dataset import Dataset, RunData
from pacer.reports.results import results
from pacer.reports.text import Table

Runs = list[dict[str, Any]]


@dataclass(frozen=True)
class Section:
    id: str
    title: str
    body: str

    @property
    def html(self) -> str:
        return f'<section id="{self.id}">\n<h2>{escape(self.title)}</h2>\n{self.body}\n</section>'


# Sections of charts, which the scripts fill: id, title, what one sees, and whether a run has something for it.
CHARTS: tuple[tuple[str, str, str, Callable[[dict[str, Any]], Any]], ...] = (
    (
        "curves",
        "Learning curves",
        "Evaluation over training: the mean over seeds of the mean over the episodes of an evaluation. Greedy actions "
        "are those of zero noise or, as in the recipe pacer, the densest of samples.",
        lambda run: run["modes"],
    ),
    (
        "scores",
        "Scores by algorithm",
        "Bars are means over seeds and dots the seeds, those that came as far as the furthest. A diamond is the "
        "paper's score, its highest average return after 1M steps.",
        lambda run: run["modes"],
    ),
    (
        "risk",
        "Risk",
        "Returns of the single episodes of the last 10 evaluations, all seeds together. CVaR at a level is the mean of "
        "that share of the episodes, the worst.",
        lambda run: run["modes"],
    ),
    (
        "events",
        "What happened in episodes",
        "What the environment counts, as the mean over the episodes of the last 10 evaluations. Over training it can "
        "be chosen among the learning curves.",
        lambda run: any(set(mode["figures"]) - {"return", "discounted", "length"} for mode in run["modes"].values()),
    ),
    (
        "heatmaps",
        "Where actions lie",
        "Samples of the policy in a few states, at phases of training: two dimensions of the action, from -1 to 1. "
        "Strong colour is often, on a logarithmic scale of its own in each map. Spread is the deviation of actions.",
        lambda run: "heatmaps" in run["insight"],
    ),
    (
        "returns",
        "Expected and played returns",
        "The distribution of the return that the critic expects in those states, beside the returns of episodes played "
        "on from there, both as the critic sees rewards; entropy, where returns count it, is in the first alone.",
        lambda run: "returns" in run["insight"],
    ),
    (
        "learning",
        "Encourager and learning",
        "Distance or log-density tell how narrow the policy is (those of Repulsion and Volume may be negative), the "
        "weight what that costs the actor, spread how wide actions are.",
        lambda run: run["learning"],
    ),
    ("timings", "Timings", "Where the time went, as the mean over seeds.", lambda run: run["timing"]),
)


def sections(dataset: Dataset, content: dict[str, Any]) -> list[Section]:
    runs = content["runs"]
    charts = [_chart(*chart[:3]) for chart in CHARTS if any(chart[3](run) for run in runs)]
    listed = [Section("runs", "Runs", "\n".join(map(_run, range(len(dataset.runs)), dataset.runs)))] if runs else []
    return [_overview(dataset), *charts, *listed]


def summary(dataset: Dataset) -> str:
    """The runs in a sentence."""
    runs = dataset.runs
    tally = Counter(run.status for run in runs)
    status = ", ".join(f"{number} {name}" for name, number in tally.most_common())
    counts = (
        (len(runs), "run"),
        (len({r.label for r in runs}), "algorithm"),
        (len({r.environment for r in runs}), "task"),
    )
    told = ", ".join(f"{number} {name}{'' if number == 1 else 's'}" for number, name in counts)
    return f"{told}; {status}." if runs else "No run yet."


def table(caption: str, header: list[str], rows: list[list[str]], text: bool = False) -> str:
    """A table of plain text. In numbers, a line break sets the rest in small."""
    kind = ' class="text"' if text else ""
    head = "".join(f"<th{kind}>{escape(name)}</th>" for name in header)
    body = "\n".join(
        f"<tr><th{kind}>{escape(first)}</th>{''.join(_cell(cell, kind) for cell in cells)}</tr>"
        for first, *cells in rows
    )
    told = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<div class="scroll"><table>{told}\n<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _cell(text: str, kind: str) -> str:
    first, _, rest = text.partition("\n")
    return f"<td{kind}>{escape(first)}{f'<small>{escape(rest)}</small>' if rest else ''}</td>"


def _chart(name: str, title: str, note: str) -> Section:
    return Section(
        name,
        title,
        f'<p class="note">{escape(note)}</p>\n<div class="controls"></div>\n<div class="legend"></div>\n'
        f'<div class="figures{" maps" if name == "heatmaps" else ""}"></div>',
    )


def _overview(dataset: Dataset) -> Section:
    parts = [_problems(dataset)] if dataset.problems else []
    return Section("overview", "Overview", "\n".join([*parts, *map(_table, results(dataset))]))


def _table(made: Table) -> str:
    """A table with its note; the widest ones are folded."""
    grid = made.name.endswith("-best")
    rows = [[first, *(map(_below, cells) if grid else cells)] for first, *cells in made.rows]
    shown = table("", list(made.columns), rows) + f'<p class="note">{escape(made.note)}</p>'
    if made.name.endswith("-scores") or made.name.startswith("episodes-"):
        return f'<details id="{made.name}"><summary>{escape(made.title)}</summary>{shown}</details>'
    return f"<h3>{escape(made.title)}</h3>{shown}"


def _below(cell: str) -> str:
    """Seeds and the paper's number below the value, so that many tasks fit beside each other."""
    named = re.sub(r"\((.*?)\)", lambda m: f"({m[1]} seed{'' if m[1] == '1' else 's'})", cell).replace("[", "[paper ")
    return re.sub(r" (?=[(\[])", "\n", named, count=1)


def _problems(dataset: Dataset) -> str:
    rows = [[str(path), why] for path, why in dataset.problems]
    caption = "They are left out, or shown without the file that is named."
    listed = table(caption, ["folder", "what is wrong"], rows, text=True)
    told = f"{len(rows)} folder{'' if len(rows) == 1 else 's'} could not be read"
    return f'<div class="problems"><details id="problems"><summary>{told}</summary>{listed}</details></div>'


def _run(number: int, run: RunData) -> str:
    """One run: what came of it, what it ran on, all its settings."""
    exact = run.facts.get("bit_exact")
    told = [f"{run.status}", f"{run.reached:,} of {run.steps:,} steps", "bit-exact" if exact else "not bit-exact"]
    heading = f"{run.environment}, {run.label}, seed {run.seed}: {', '.join(told)}"
    versions = run.facts.get("versions")
    facts = {key: value for key, value in run.facts.items() if key not in ("format", "status", "bit_exact", "versions")}
    facts = {"folder": run.path, **facts, **(versions if isinstance(versions, dict) else {})}
    listed = "".join(f"<dt>{escape(str(key))}</dt><dd>{escape(str(value))}</dd>" for key, value in facts.items())
    settings = json.dumps(run.settings, indent=2, ensure_ascii=False)
    return (
        f'<details id="run{number}"><summary>{escape(heading)}</summary><dl class="facts">{listed}</dl>'
        f"<pre>{escape(settings)}</pre></details>"
    )
