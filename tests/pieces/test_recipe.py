"""Recipes: nonsense is refused when it is written, and the ablations differ in exactly the named pieces."""

from dataclasses import fields, replace

import pytest

from pacer.pieces.actors.push_forward import PushForward
from pacer.pieces.critics.quantile import Quantile
from pacer.pieces.encouragers.base import Nothing
from pacer.pieces.encouragers.mmd import MMD
from pacer.pieces.encouragers.weights import MovingDual
from pacer.pieces.recipe import Averaging, Recipe
from pacer.pieces.risks import CVaR
from pacer.recipes import (
    M0P0,
    M0P0G,
    M0P1,
    M0P1G,
    M1P0,
    PACER_M,
    PACER_M_ADAPTIVE,
    PACER_W,
    PACER_W_ADAPTIVE,
    RECIPES,
    SAC,
    SQL,
    W1P0,
)


@pytest.mark.parametrize(
    "recipe, change, message",
    [
        (SAC, {"actor": PushForward()}, "needs the policy's density, and a PushForward actor has none"),
        (SAC, {"risk": CVaR(0.25)}, "needs a distribution of returns, and an Expected critic"),
        (SAC, {"weight": MovingDual()}, "MovingDual needs a sample-based encourager"),
        (SAC, {"encourager": MMD()}, "cannot be part of every return"),
        (SQL, {"critic": Quantile()}, "SoftMaximum backs up one number"),
        (PACER_M, {"encourager": Nothing()}, "has no encourager to weigh"),
        (PACER_M, {"encourager": Nothing(), "weight": MovingDual()}, "has no encourager to weigh"),
        (PACER_M, {"policy_delay": 0}, "policy_delay is 0"),
        (PACER_M, {"actor_learning_rate": -1.0}, "actor_learning_rate is -1.0"),
        (PACER_M, {"discount": 1.0}, "0 <= discount < 1"),
        (PACER_M, {"averaging": Averaging(rate=0.0)}, "0 < rate <= 1"),
        (PACER_M, {"encourager": MMD(states=1000)}, "1000 states of a batch of 256"),
    ],
)
def test_nonsense_is_refused_with_the_reason(recipe, change, message):
    with pytest.raises(ValueError, match=message):
        replace(recipe, **change)


def differences(a: Recipe, b: Recipe) -> set[str]:
    return {f.name for f in fields(Recipe) if getattr(a, f.name) != getattr(b, f.name)}


@pytest.mark.parametrize(
    "recipe, expected",
    [
        (PACER_M_ADAPTIVE, {"weight"}),
        (PACER_W, {"encourager"}),
        (PACER_W_ADAPTIVE, {"encourager", "weight"}),
        (M1P0, {"actor"}),
        (W1P0, {"actor", "encourager"}),
        (M0P1, {"encourager", "weight"}),
        (M0P1G, {"encourager", "weight", "exploration"}),
        (M0P0, {"actor", "encourager", "weight"}),
        (M0P0G, {"actor", "encourager", "weight", "exploration"}),
    ],
)
def test_variants_differ_from_pacer_m_in_exactly_the_named_pieces(recipe, expected):
    assert differences(PACER_M, recipe) == expected


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_compare_hash_and_print_by_value(name):
    meaning, recipe = RECIPES[name]
    assert meaning
    assert replace(recipe) == recipe
    assert hash(replace(recipe)) == hash(recipe)
