"""How charts look, on the page and in figures: colours that colour-blind readers can tell apart (Okabe and Ito)."""

from collections.abc import Iterable

PALETTE = {
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "grey": "#7F7F7F",  # in place of their black, which a dark page would swallow
    "yellow": "#C9B900",  # darker than theirs, which a white page would swallow
}
DASHES = ("solid", "dash", "dot", "dashdot")  # plotly's names; with eight colours they tell 32 labels apart


def styles(labels: Iterable[str]) -> dict[str, tuple[str, str]]:
    """A colour and a dash for each label: the same for the same set of labels, whatever their order."""
    colours = list(PALETTE.values())
    return {
        label: (colours[number % len(colours)], DASHES[number // len(colours) % len(DASHES)])
        for number, label in enumerate(sorted(set(labels)))
    }
