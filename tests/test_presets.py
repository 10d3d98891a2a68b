"""Sizes and tasks fill what a recipe leaves at its default, and nothing else."""

from dataclasses import dataclass, replace

import pytest

from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.critics.quantile import Quantile
from pacer.pieces.encouragers.base import SampleEncourager
from pacer.pieces.encouragers.duals import MovingDual
from pacer.pieces.encouragers.mmd import MMD
from pacer.pieces.encouragers.weights import Fixed
from pacer.presets import SIZES, for_task
from pacer.recipes import PACER_M, PACER_M_ADAPTIVE, RECIPES, SQL, TQC


@pytest.mark.parametrize("name", RECIPES)
def test_small_is_what_the_pieces_have_anyway(name):
    recipe = RECIPES[name][1]
    assert SIZES["small"].apply(recipe) == recipe


def test_paper_size_is_the_papers():
    recipe = SIZES["paper"].apply(PACER_M)
    assert recipe.actor.body.hidden == recipe.critic.body.hidden == (400, 400)
    assert (recipe.critic.levels, recipe.encourager.samples, recipe.batch) == (64, 100, 400)
    assert recipe.weight == Fixed(0.01)


def test_a_size_leaves_what_a_recipe_chose():
    recipe = SIZES["paper"].apply(replace(PACER_M, critic=Quantile(body=MLP((512,) * 4), levels=100), batch=128))
    assert (recipe.critic.body.hidden, recipe.critic.levels, recipe.batch) == ((512,) * 4, 100, 128)
    assert recipe.encourager.samples == 100
    assert SIZES["paper"].apply(TQC).critic.members == 3


@dataclass(frozen=True)
class Gap(SampleEncourager):
    samples: int = 8
    states: int = 16

    def penalty(self, actions, key):
        return actions.action.mean((0, 2))


@dataclass(frozen=True)
class Wider(MMD):
    hidden: tuple[int, ...] = (8,)


def test_a_size_leaves_fields_that_pieces_of_ones_own_declare():
    assert SIZES["paper"].apply(replace(PACER_M, encourager=Gap())).encourager == Gap(samples=8)
    assert SIZES["paper"].apply(replace(PACER_M, encourager=Wider())).encourager == Wider(samples=100, hidden=(8,))


def test_task_values_reach_the_recipe_whatever_the_version():
    adapted = for_task(PACER_M_ADAPTIVE, "Hopper-v5")
    assert adapted.weight == MovingDual(initial=0.5, range=(0.3, 0.8))
    assert for_task(PACER_M, "HumanoidStandup-v4").reward_scale == 0.05
    assert for_task(PACER_M_ADAPTIVE, "pacer/CarNavigation1-v0").weight.initial == 0.02
    assert for_task(PACER_M_ADAPTIVE, "mylab/Ant-v0") == PACER_M_ADAPTIVE  # somebody else's Ant
    assert for_task(SQL, "Hopper-v4").reward_scale == 30.0
    assert for_task(PACER_M, "Humanoid-v4") == PACER_M
    assert for_task(PACER_M_ADAPTIVE, "module:Own-v0") == PACER_M_ADAPTIVE


def test_a_task_leaves_what_a_recipe_chose():
    for own in (MovingDual(range=(0.1, 2.0)), MovingDual(initial=0.9)):
        assert for_task(replace(PACER_M_ADAPTIVE, weight=own), "Hopper-v4").weight == own
    assert for_task(replace(SQL, reward_scale=3.0), "Hopper-v4").reward_scale == 3.0
