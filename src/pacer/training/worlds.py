"""Several worlds that are played side by side. Here they take their turns; in `workers` they do not wait."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from pacer.errors import PacerError
from pacer.training.watch import Watch
from pacer.training.world import MakeEnvironment, World

Call = tuple[int, str, tuple[Any, ...]]
"""Which world, which of its methods, and with what."""


class Worlds(Protocol):
    count: int

    def call(self, calls: Iterable[Call]) -> list[Any]:
        """What the calls return, in their order; no world is called twice."""

    def close(self) -> list[str]:
        """Never raises: what went wrong is returned."""


class InTurn:
    """Worlds in this process, one called after the other."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self.count = len(worlds)
        self._worlds = worlds

    def call(self, calls: Iterable[Call]) -> list[Any]:
        return [getattr(self._worlds[world], method)(*arguments) for world, method, arguments in calls]

    def close(self) -> list[str]:
        return [problem for world in self._worlds if (problem := world.close())]


def make_worlds(make: MakeEnvironment, name: str, count: int, watch: Watch | None = None) -> list[World]:
    """`count` worlds, each with an environment of its own."""
    worlds = [World(make, name, watch) for _ in range(count)]
    if len({id(world.env) for world in worlds}) < count:
        raise PacerError(f"{name} returned the same environment twice: it must make a new one")
    return worlds
