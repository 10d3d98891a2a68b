"""A piece: a frozen dataclass whose fields are its hyper-parameters and whose methods are pure functions."""

import inspect
from abc import ABC
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pacer.pieces.recipe import Recipe


class Piece(ABC):  # noqa: B024 (each family adds its own abstract methods)
    """What all families of pieces have in common."""

    traced: ClassVar[tuple[str, ...]] = ()
    """Fields that only enter equations of the learner, so that another number need not be compiled anew."""

    def check(self, recipe: "Recipe") -> None:
        """Raise a ValueError that says why, if this piece cannot work in the recipe."""
        return None


def check_told(piece: Piece) -> None:
    """Raise a ValueError if the piece's class leaves open what its family asks every class to say."""
    for family in type(piece).__mro__:
        for name, hint in inspect.get_annotations(family).items():
            if "ClassVar" in str(hint) and not hasattr(piece, name):
                raise ValueError(f"{name_of(piece)} does not say `{name}`, as every {family.__name__} does")


def name_of(piece: object) -> str:
    return type(piece).__name__
