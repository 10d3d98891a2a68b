"""What an environment wants to be known of its episodes: numbers of `info`, summed or averaged over their steps."""

from collections.abc import Mapping, Sequence
from math import fsum
from numbers import Real
from typing import Any

import numpy as np

from pacer.errors import PacerError, shown

SUMS, MEANS = "EPISODE_SUMS", "EPISODE_MEANS"
TAKEN = ("step", "mode", "episode", "return", "length", "discounted")  # the other columns of evaluations.csv

Numbers = Mapping[str, float]


class Measures:
    """The columns that an environment declares, each with the key of `info` that it is made of.

    `EPISODE_SUMS = {"goals": "goal_met"}` and `EPISODE_MEANS = {"speed": "velocity"}` on its class, or on a wrapper.
    """

    def __init__(self, env: Any, name: str) -> None:
        self._name = name
        self._means = _declared(env, MEANS, name)
        self._keys = {**_declared(env, SUMS, name), **self._means}

    def read(self, info: Mapping[str, Any], where: str) -> Numbers:
        """One step's numbers; True counts as 1."""
        try:
            return {column: _number(info[key]) for column, key in self._keys.items()}
        except Exception as error:
            raise PacerError(
                f"{self._name} at {where}: expected a number in info for each of {sorted(self._keys.values())}, "
                f"as its {SUMS} and {MEANS} say, and found {shown(error)}"
            ) from error

    def over(self, steps: Sequence[Numbers]) -> Numbers:
        """The numbers of an episode, out of those of its steps."""
        totals = {column: fsum(numbers[column] for numbers in steps) for column in self._keys}
        return {column: total / len(steps) if column in self._means else total for column, total in totals.items()}


def _declared(env: Any, attribute: str, name: str) -> dict[str, str]:
    known = hasattr(env, "has_wrapper_attr") and env.has_wrapper_attr(attribute)
    columns = env.get_wrapper_attr(attribute) if known else {}
    if not isinstance(columns, Mapping) or not all(isinstance(c, str) and c.isidentifier() for c in columns):
        raise PacerError(f'{name} has {attribute} {columns!r}: expected {{"column": "key of info"}}')
    if taken := sorted(set(columns) & set(TAKEN)):
        raise PacerError(
            f"{name} has {taken[0]!r} in {attribute}: evaluations.csv has a column of that name, take another"
        )
    return dict(columns)


def _number(value: Any) -> float:
    if isinstance(value, np.ndarray | np.generic) and value.size == 1:
        value = value.item()
    if not isinstance(value, Real):  # as bool is
        raise TypeError(f"{shown(value)} is no number")
    return float(value)
