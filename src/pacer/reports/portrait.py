"""One agent in one picture: the curve of its run, and in a few states its actions and the returns it expects.

All functions draw arrays, on axes of yours if you like. Needs matplotlib (the extra `report`).
"""

import io
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pacer.errors import PacerError
from pacer.reports import text
from pacer.reports.curves import Curve
from pacer.reports.figures import SETTINGS, matplotlib
from pacer.reports.style import PALETTE
from pacer.runs.arrays import Arrays
from pacer.runs.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf", ".html")
PANEL = 2.4  # inches
DIMENSIONS = 3  # of an action that are shown, those that are spread most: three pairs
BEYOND = 0.05  # share of the discount behind the time limit that is worth a word
EXPECTED, PLAYED, CHOSEN = PALETTE["blue"], PALETTE["vermillion"], PALETTE["green"]


def portrait(actions: Arrays, returns: Arrays, curves: Mapping[str, Curve], title: str = "") -> "Figure":
    """A row for each state. `actions` has samples (S, N, A) and greedy (S, A), `returns` what `insight` writes."""
    with matplotlib().rc_context(SETTINGS):
        return _portrait(actions, returns, curves, title)


def _portrait(actions: Arrays, returns: Arrays, curves: Mapping[str, Curve], title: str) -> "Figure":
    from matplotlib.figure import Figure  # without pyplot, which keeps figures and may look for a screen

    samples, greedy = actions["samples"], actions["greedy"]
    pairs = _pairs(samples)
    rows, columns = len(samples), len(pairs) + 1
    top = 1 if any(c.steps.size for c in curves.values()) else 0
    figure = Figure(figsize=(PANEL * columns + 0.5, PANEL * (rows + top) + 0.5), layout="constrained")
    grid = figure.add_gridspec(rows + top, columns)
    if top:
        draw_curves(figure.add_subplot(grid[0, :]), curves)
    for state in range(rows):
        for column, pair in enumerate(pairs):
            axes = figure.add_subplot(grid[state + top, column])
            draw_actions(axes, samples[state], greedy[state], pair)
            axes.set_title(f"state {state + 1}: actions" if column == 0 else "")
        axes = figure.add_subplot(grid[state + top, columns - 1])
        draw_returns(axes, *(returns[name][state] for name in ("value", "mass", "monte_carlo")))
        axes.set_title(_compared(returns, state))
    figure.legend(*_key(returns), loc="outside lower center", ncols=min(4, 2 * len(pairs)), frameon=False)
    figure.suptitle(title.replace("$", r"\$"))
    return figure


def draw_curves(axes: "Axes", curves: Mapping[str, Curve]) -> None:
    """Mean return of the episodes of each evaluation, by mode of play."""
    for (mode, curve), line in zip(curves.items(), ("-", "--"), strict=False):
        axes.plot(curve.steps, curve.values, line, color="black", linewidth=1.3, label=mode, marker=".", markersize=3)
    axes.set(xlabel="environment steps", ylabel="return of an episode")
    axes.xaxis.set_major_formatter(lambda value, _: text.steps(value))
    axes.legend(frameon=False)
    _plain(axes)


def draw_actions(axes: "Axes", samples: Any, greedy: Any, pair: tuple[int, int] = (0, 1)) -> None:
    """Samples (N, A) of a policy in two dimensions, and its greedy action; a histogram if both are the same."""
    first, second = pair
    if first == second:
        axes.hist(samples[:, first], np.linspace(-1, 1, 51).tolist(), color=EXPECTED)
        axes.axvline(greedy[first], color=CHOSEN)
        axes.set(yticks=[], ylabel="samples")
    else:
        axes.plot(samples[:, first], samples[:, second], ".", color=EXPECTED, markersize=2, alpha=0.25, mew=0)
        axes.plot(greedy[first], greedy[second], "X", color=CHOSEN, markeredgecolor="white", markersize=8)
        axes.set(ylim=(-1.05, 1.05), yticks=[-1, 0, 1], ylabel=f"action {second + 1}")
        axes.set_aspect("equal")
    axes.set(xlim=(-1.05, 1.05), xticks=[-1, 0, 1], xlabel=f"action {first + 1}")
    _plain(axes)


def draw_returns(axes: "Axes", value: Any, mass: Any, monte_carlo: Any) -> None:
    """How likely at most each return is: by the critic's atoms, and by the returns of episodes that were played."""
    order = np.argsort(value)
    played = np.sort(monte_carlo[np.isfinite(monte_carlo)])
    lines = [(value[order], np.cumsum(mass[order]) / mass.sum(), mass[order], EXPECTED, "-")]
    if played.size:
        lines.append((played, np.arange(1, played.size + 1) / played.size, np.ones(played.size), PLAYED, "--"))
    for at, share, weight, colour, line in lines:
        axes.plot(np.r_[at[0], at], np.r_[0, share], line, color=colour, linewidth=1.3, drawstyle="steps-post")
        axes.axvline(np.average(at, weights=weight), color=colour, linewidth=0.8, linestyle=":")
    axes.set(xlabel="discounted return of at most", ylabel="probability", ylim=(0, 1.02))
    _plain(axes)


def check_format(path: Path) -> None:
    if path.suffix not in FORMATS:
        raise PacerError(f"{path.name} does not tell a format: expected a name that ends with {', '.join(FORMATS)}")


def write(figure: "Figure", path: Path) -> None:
    """The figure in the format that the name ends with; a page of HTML holds it as SVG."""
    check_format(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib().rc_context(SETTINGS), replacing(path) as file:
        if path.suffix != ".html":
            figure.savefig(file, format=path.suffix[1:], dpi=150)
        else:
            drawn = io.StringIO()
            figure.savefig(drawn, format="svg", metadata={"Date": None})
            image = drawn.getvalue()[drawn.getvalue().index("<svg") :]
            file.write(f"<!doctype html><meta charset='utf-8'>\n{image}".encode())


def _pairs(samples: Any) -> list[tuple[int, int]]:
    """Pairs of the dimensions that are spread most, in order."""
    spread = samples.std(1).mean(0)
    widest = sorted(np.argsort(spread, kind="stable")[-DIMENSIONS:].tolist())
    return list(combinations(widest, 2)) or [(0, 0)]


def _compared(returns: Arrays, state: int) -> str:
    value, mass, played = (returns[name][state] for name in ("value", "mass", "monte_carlo"))
    told = f"expected {text.number(float(value @ mass / mass.sum()))}"
    if np.isfinite(played).any():
        told += f", played {text.number(float(np.nanmean(played)))}"
    beyond = returns["left"][state].mean()
    return told + (f"\n({beyond:.0%} lies past the end)" if beyond > BEYOND else "")


def _key(returns: Arrays) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D

    looks: list[tuple[str, dict[str, Any]]] = [
        ("sampled actions", {"color": EXPECTED, "marker": ".", "linestyle": ""}),
        ("greedy action", {"color": CHOSEN, "marker": "X", "linestyle": ""}),
        (f"returns the critic expects{' (diversity included)' if returns['soft'] else ''}", {"color": EXPECTED}),
    ]
    if np.isfinite(returns["monte_carlo"]).any():
        looks.append(("returns of episodes played", {"color": PLAYED, "linestyle": "--"}))
    return [Line2D([], [], **look) for _, look in looks], [name for name, _ in looks]


def _plain(axes: "Axes") -> None:
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
