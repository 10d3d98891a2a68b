"""Figures for papers, as SVG and PDF: curves, ablation, risk, profile. Needs matplotlib (the extra `report`)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacer.errors import PacerError
from pacer.reports import statistics, text
from pacer.reports.cells import Cell, Scored, cells, in_sac_units, order
from pacer.reports.curves import Band, Curve, band
from pacer.reports.statistics import Array, estimate
from pacer.reports.style import styles
from pacer.reports.tables import GROUPS, ablation_cells, group

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Returns = Mapping[str, Sequence[Array]]
"""Of episodes: by label, an array per seed."""
Looks = Mapping[str, tuple[str, str]]
"""A colour and a dash by label, of `styles`."""

UNDATED: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
WIDTH, HEIGHT = 3.4, 2.6  # inches of a panel
LINES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}
# Text stays text in both formats, and equal figures have equal bytes.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "pacer", "pdf.fonttype": 42, "font.size": 8}


def write(runs: Sequence[Scored], folder: Path, returns: Mapping[str, Returns] | None = None) -> list[Path]:
    """Every figure that these runs can fill, in `folder`; `returns` are those of episodes, by environment."""
    made = cells(runs)
    looks = styles([*(run.label for run in runs), *(label for labels in (returns or {}).values() for label in labels)])
    paths = []
    with matplotlib().rc_context(SETTINGS):
        if any(cell.seeds for cell in made):
            paths += save(learning_curves(runs, looks), folder, "curves")
        if chosen := ablation_cells(made):
            paths += save(ablation(chosen, looks), folder, "ablation")
        for name in GROUPS:
            if scores := in_sac_units(cell for cell in made if group(cell.environment) == name):
                paths += save(profile(scores, looks, GROUPS[name]), folder, f"profile-{name}")
        for environment, labels in (returns or {}).items():
            paths += save(risk(labels, looks, environment), folder, f"risk-{text.slug(environment)}")
    return paths


def save(figure: "Figure", folder: Path, name: str) -> list[Path]:
    """The figure in each format."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{ending}" for ending in UNDATED]
    for path, undated in zip(paths, UNDATED.values(), strict=True):
        figure.savefig(path, bbox_inches="tight", metadata=undated)
    return paths


def learning_curves(runs: Sequence[Scored], looks: Looks, mode: str = "greedy", window: int = 1) -> "Figure":
    """A panel per task: mean over seeds with its 95 % bootstrap interval, smoothed over `window` evaluations."""
    grouped: dict[str, dict[str, list[Curve]]] = {}
    for run in runs:
        if mode in run.curves and run.curves[mode].steps.size:
            grouped.setdefault(run.environment, {}).setdefault(run.label, []).append(run.curves[mode])
    figure, panels = _grid(len(grouped))
    seeds: dict[str, set[int]] = {}
    for axes, (environment, labels) in zip(panels, sorted(grouped.items()), strict=True):
        bands = {label: band(labels[label], window) for label in sorted(labels, key=order)}
        for label, made in bands.items():
            _band(axes, made, looks[label])
            seeds.setdefault(label, set()).add(len(labels[label]))
        uneven = any(made.seeds.min() < made.seeds.max() for made in bands.values())
        axes.set_title(_text(environment))
        axes.set_xlabel("environment steps" + " (thin: not all seeds)" * uneven)
        axes.set_ylabel(f"return of an episode ({mode})")
        axes.xaxis.set_major_formatter(lambda value, _: text.steps(value))
    _legend(figure, looks, {label: f"{label} ({_counts(seeds[label])})" for label in sorted(seeds, key=order)})
    return figure


def ablation(cells: Sequence[Cell], looks: Looks) -> "Figure":
    """Bars of the max average return, with the deviation over seeds, and the paper's numbers."""
    figure, (axes,) = _grid(1, width=max(WIDTH, 0.6 * len(cells)))
    places, heights = np.arange(len(cells)), [cell.best_of_mean for cell in cells]
    colours, deviations = [looks[cell.label][0] for cell in cells], np.nan_to_num([cell.deviation for cell in cells])
    axes.bar(places, heights, yerr=deviations, color=colours, error_kw={"linewidth": 1})
    papers = [cell.paper.value if cell.paper else np.nan for cell in cells]
    axes.plot(places, papers, "D", color="black", markersize=4, label="paper (7 seeds, 1M steps)")
    figure.legend(loc="outside lower center", frameon=False)
    names = [f"{_text(cell.label)}\n{text.steps(cell.steps)}, {_counts({cell.seeds})}" for cell in cells]
    axes.set_xticks(places, names, rotation=45, ha="right")
    axes.set_ylabel("max average return\n(± deviation of seeds' bests)")
    axes.set_title(_text(", ".join(dict.fromkeys(cell.environment for cell in cells))))
    return figure


def risk(returns: Returns, looks: Looks, title: str = "") -> "Figure":
    """How the returns of episodes are spread, and their CVaR by level."""
    figure, (spread, tail) = _grid(2)
    levels = np.linspace(0.05, 1.0, 20)
    for label in sorted(returns, key=order):
        pooled = np.sort(np.concatenate([np.empty(0), *returns[label]]))
        if pooled.size:
            shares = np.arange(1, pooled.size + 1) / pooled.size
            spread.plot(pooled, shares, drawstyle="steps-post", **_line(looks[label]))
            tail.plot(levels, [statistics.cvar(pooled, level) for level in levels], **_line(looks[label]))
    spread.set(xlabel="return of an episode", ylabel="share of episodes at or below")
    tail.set(xlabel="worst share of episodes (1: the mean)", ylabel="CVaR of returns")
    names = {label: f"{label} ({_counts({len(s)})}, {sum(map(len, s))} episodes)" for label, s in returns.items()}
    _legend(figure, looks, names)
    figure.suptitle(_text(title))
    return figure


def profile(scores: Mapping[str, Mapping[str, Sequence[float]]], looks: Looks, title: str = "") -> "Figure":
    """The share of runs whose final score is above each multiple of the paper's SAC, with 95 % intervals."""
    highest = max(max(seeds) for tasks in scores.values() for seeds in tasks.values())
    thresholds = np.linspace(0.0, max(1.0, 1.05 * highest), 201)
    figure, (axes,) = _grid(1)
    for label in sorted(scores, key=order):
        made = estimate(lambda tasks: statistics.profile(tasks, thresholds), list(scores[label].values()))
        axes.plot(thresholds, made.value, **_line(looks[label]))
        axes.fill_between(thresholds, made.low, made.high, color=looks[label][0], alpha=0.2, linewidth=0)
    axes.set(xlabel="final score / the paper's SAC at 1M steps", ylabel="share of runs above", ylim=(0, 1.02))
    axes.set_title(title)
    names = {
        label: f"{label} (tasks: {len(tasks)}, runs: {sum(map(len, tasks.values()))})"
        for label, tasks in sorted(scores.items(), key=lambda item: order(item[0]))
    }
    _legend(figure, looks, names)
    return figure


def _band(axes: "Axes", made: Band, look: tuple[str, str]) -> None:
    """A mean curve with its interval; it is thin where some of its seeds have no value."""
    axes.plot(made.steps, made.mean, **_line(look) | {"linewidth": 0.5})
    full = np.where(made.seeds == made.seeds.max(), made.mean, np.nan)
    axes.plot(made.steps, full, **_line(look), marker="" if made.steps.size > 1 else "o", markersize=4)
    axes.fill_between(made.steps, made.low, made.high, color=look[0], alpha=0.2, linewidth=0)


def _grid(number: int, width: float = WIDTH) -> "tuple[Figure, list[Axes]]":
    """A figure with so many panels, at most three abreast."""
    matplotlib()
    from matplotlib.figure import Figure  # without pyplot, which keeps figures and may look for a screen

    columns = 2 if number == 4 else min(number, 3)
    rows = -(-number // columns)
    figure = Figure(figsize=(width * columns, HEIGHT * rows), layout="constrained")
    panels = [figure.add_subplot(rows, columns, place + 1) for place in range(number)]
    for axes in panels:
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_axisbelow(True)
    return figure, panels


def _legend(figure: "Figure", looks: Looks, names: Mapping[str, str]) -> None:
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], **_line(looks[label])) for label in names]
    columns = max(1, round(figure.get_figwidth() / WIDTH))
    figure.set_figheight(figure.get_figheight() + 0.18 * -(-len(names) // columns))
    figure.legend(lines, map(_text, names.values()), loc="outside lower center", ncols=columns, frameon=False)


def _line(look: tuple[str, str]) -> dict[str, Any]:
    return {"color": look[0], "linestyle": LINES[look[1]], "linewidth": 1.3}


def _counts(seeds: set[int]) -> str:
    low, high = min(seeds), max(seeds)
    return f"{low} seed{'s' * (low != 1)}" if low == high else f"{low} to {high} seeds"


def _text(name: str) -> str:
    """A name as it is: a dollar begins no formula, and a leading underscore hides nothing."""
    return (" " * name.startswith("_")) + name.replace("$", r"\$")


def matplotlib() -> Any:
    """The module, which reports do without as long as they draw no figures."""
    try:
        import matplotlib
    except ImportError as error:
        raise PacerError("figures need matplotlib: pip install 'pacer-rl[report]'") from error
    return matplotlib
