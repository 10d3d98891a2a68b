"""Several worlds that are played side by side. Here they take their turns; in `workers` they do not wait."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from pacer.errors import PacerError
from pacer.training.world import MakeEnvironment, World

Call = tuple[int, str, tuple[Any, ...]]
"""Which world, which of its methods, and with what."""


class Worlds(Protocol):
    count: int

    def call(self, calls: Iterable[Call]) -> list[Any]:
        """What the calls return, in their order; no world is called twice."""

    def close(self) -> None: ...


class InTurn:
    """Worlds in this process, one called after the other."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self.count = len(worlds)
        self._worlds = worlds

    def call(self, calls: Iterable[Call]) -> list[Any]:
        return [getattr(self._worlds[world], method)(*arguments) for world, method, arguments in calls]

    def close(self) -> None:
        for world in self._worlds:
            world.close()


def make_worlds(make: MakeEnvironment, name: str, count: int) -> list[World]:
    """`count` worlds, each with an environment of its own."""
    worlds = [World(make, name) for _ in range(count)]
    if len({id(world.env) for world in worlds}) < count:
        raise PacerError(f"{name} returned the same environment twice: it must make a new one")
    return worlds
