"""How much arithmetic an update cannot do without: that of its products of matrices."""

import math
from collections.abc import Iterator
from typing import Any

from timing import random_batches

import jax  # isort: skip
from jax.interpreters.partial_eval import dce_jaxpr

from pacer import learner
from pacer.pieces.recipe import Recipe
from pacer.pieces.types import Space, Transition
from pacer.training.statistics import Moments


def products_in(recipe: Recipe, width: int, space: Space) -> float:
    """The multiplications in all products of one update, over those in one of (width, width) matrices."""
    scaling = Moments.empty(space.observation).scaling()
    batch = Transition(*(part[0] for part in random_batches(1, recipe.batch, space)))
    key = jax.random.key(0)
    update = jax.make_jaxpr(lambda s, k: learner.update(recipe, s, batch, scaling, k))
    traced = update(learner.init(recipe, space, key), key).jaxpr
    needed, _ = dce_jaxpr(traced, [True] * len(traced.outvars))  # as XLA, which compiles nothing without a result
    return _multiplications(needed, recipe.policy_delay) / width**3


def _multiplications(jaxpr: Any, delay: int) -> float:
    """Of an actor that moves in one update out of `delay`: nothing else in an update is conditional."""
    total = 0.0
    for equation in jaxpr.eqns:
        inner = [_multiplications(part, delay) for part in inner_of(equation)]
        if equation.primitive.name == "dot_general":
            (over, _), _ = equation.params["dimension_numbers"]
            left = equation.invars[0].aval.shape
            total += math.prod(equation.outvars[0].aval.shape) * math.prod(left[axis] for axis in over)
        elif equation.primitive.name == "cond":
            total += max(inner) / delay
        else:
            total += sum(inner) * equation.params.get("length", 1)  # of a scan
    return total


def inner_of(equation: Any) -> Iterator[Any]:
    """The programs inside an operation of a program."""
    for value in equation.params.values():
        for inner in value if isinstance(value, tuple | list) else [value]:
            if hasattr(inner := getattr(inner, "jaxpr", inner), "eqns"):
                yield inner
