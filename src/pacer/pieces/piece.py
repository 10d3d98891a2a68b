"""A piece: a frozen dataclass whose fields are its hyper-parameters and whose methods are pure functions."""

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


def name_of(piece: object) -> str:
    return type(piece).__name__
