"""Recipes: nonsense is refused when it is written, and the ablations differ in exactly the named pieces."""

from dataclasses import dataclass, fields, replace

import pytest

from pacer.encouragers.base import Nothing
from pacer.encouragers.mmd import MMD
from pacer.encouragers.weight import Fixed, MovingDual
from pacer.presets import SIZES, for_task
from pacer.recipe import Averaging, Recipe
from pacer.recipes import M0P0, M0P0G, M0P1, M0P1G, M1P0, PACER_M, PACER_M_ADAPTIVE, RECIPES
from pacer.risk import Risk


@dataclass(frozen=True)
class NeedsDensity(MMD):
    needs_density = True


@dataclass(frozen=True)
class Timid(Risk):
    def value(self, returns):
        return returns.value.min(-1)


def test_an_encourager_that_needs_a_density_refuses_a_push_forward_actor():
    with pytest.raises(ValueError, match=r"needs the policy's density, and a PushForward actor has none"):
        replace(PACER_M, encourager=NeedsDensity())


@pytest.mark.parametrize(
    "change, message",
    [
        ({"encourager": Nothing()}, "has no encourager to weigh"),
        ({"encourager": Nothing(), "weight": MovingDual()}, "has no encourager to weigh"),
        ({"policy_delay": 0}, "policy_delay is 0"),
        ({"actor_learning_rate": -1.0}, "actor_learning_rate is -1.0"),
        ({"discount": 1.0}, "0 <= discount < 1"),
        ({"averaging": Averaging(rate=0.0)}, "0 < rate <= 1"),
        ({"encourager": MMD(states=1000)}, "1000 states of a batch of 256"),
    ],
)
def test_nonsense_is_refused_with_the_reason(change, message):
    with pytest.raises(ValueError, match=message):
        replace(PACER_M, **change)


def differences(a: Recipe, b: Recipe) -> set[str]:
    return {f.name for f in fields(Recipe) if getattr(a, f.name) != getattr(b, f.name)}


@pytest.mark.parametrize(
    "recipe, expected",
    [
        (PACER_M_ADAPTIVE, {"weight"}),
        (M1P0, {"actor"}),
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


def test_paper_size_is_the_papers():
    recipe = SIZES["paper"].apply(PACER_M)
    assert recipe.actor.hidden == recipe.critic.hidden == (400, 400)
    assert (recipe.critic.levels, recipe.encourager.samples, recipe.batch) == (64, 100, 400)
    assert recipe.weight == Fixed(0.01)


def test_task_values_reach_the_recipe_whatever_the_version():
    adapted = for_task(PACER_M_ADAPTIVE, "Hopper-v5")
    assert adapted.weight == MovingDual(initial=0.5, range=(0.3, 0.8))
    assert for_task(PACER_M, "HumanoidStandup-v4").reward_scale == 0.05
    assert for_task(PACER_M, "Humanoid-v4") == PACER_M
    assert for_task(PACER_M_ADAPTIVE, "module:Own-v0") == PACER_M_ADAPTIVE
