"""Colours and strokes that figures and the page share."""

# Okabe and Ito's palette, which colour-blind readers can tell apart, without its black and its yellow: one of them
# is lost on a dark page and the other on a white one.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("solid", "dash", "dot", "dashdot")


def stroke(index: int) -> tuple[str, str]:
    """Colour and dash of the line with this number; colours repeat with another dash."""
    return COLOURS[index % len(COLOURS)], DASHES[index // len(COLOURS) % len(DASHES)]
