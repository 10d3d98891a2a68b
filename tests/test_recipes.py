"""The baselines are made as their sources say: what each is, written down a second time.

Actor, critic and its members, next action, entropy in the return, how members are put together in the target and for
the actor, encourager, weight, steps of the critic for one of the actor. From the papers and their authors' code, with
the departures that the README's table names (one protocol: twin critics, averaged targets, automatic temperature).
"""

import pytest

from pacer.pieces import (
    Averaging,
    Dual,
    EpsilonUniform,
    Fixed,
    GaussianNoise,
    LowestAtoms,
    LowestMember,
    PolicyBackup,
    SoftMaximum,
    TruncatedPool,
)
from pacer.recipes import RECIPES

BASELINES = {
    #                 actor           critic          members  target    in return  entropy    weight          delay
    "sac": ("Gaussian", "Expected", 2, "online", True, "Entropy", Dual(bound_per_dimension=1.0), 1),
    "sac-fixed": ("Gaussian", "Expected", 2, "online", True, "Entropy", Fixed(0.2), 1),
    "dsac": ("Gaussian", "Quantile", 2, "target", True, "Entropy", Dual(bound_per_dimension=1.0), 1),
    "idac": ("SemiImplicit", "Quantile", 2, "target", True, "Entropy", Dual(bound_per_dimension=1.0), 1),
    "idac-generator": ("SemiImplicit", "Generator", 2, "target", True, "Entropy", Dual(bound_per_dimension=1.0), 1),
    "lsp": ("Flow", "Expected", 2, "online", True, "Entropy", Dual(bound_per_dimension=1.0), 1),
    "tqc": ("Gaussian", "FixedQuantile", 3, "online", True, "Entropy", Dual(bound_per_dimension=1.0), 1),
    "td3": ("Deterministic", "Expected", 2, "target", False, "Nothing", Fixed(0.0), 2),
    "ddpg": ("Deterministic", "Expected", 2, "target", False, "Nothing", Fixed(0.0), 1),
    "ptd3": ("PushForward", "Expected", 2, "target", False, "Nothing", Fixed(0.0), 2),
    "ptd3-m": ("PushForward", "Expected", 2, "target", False, "MMD", Fixed(0.01), 2),
    "pacer-m": ("PushForward", "Quantile", 2, "online", False, "MMD", Fixed(0.01), 2),
    "pacer-w": ("PushForward", "Quantile", 2, "online", False, "Wasserstein", Fixed(0.01), 2),
}


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_is_made_as_its_source_says(name):
    _, recipe = RECIPES[name]
    actor, critic, members, next_action, in_return, encourager, weight, delay = BASELINES[name]
    found = tuple(type(piece).__name__ for piece in (recipe.actor, recipe.critic, recipe.encourager))
    assert found == (actor, critic, encourager)
    assert recipe.critic.members == members
    assert isinstance(recipe.backup, PolicyBackup)
    assert recipe.backup.target_actor == (next_action == "target")
    assert recipe.backup.penalty_in_return == in_return
    assert (recipe.weight, recipe.policy_delay) == (weight, delay)
    assert recipe.averaging == Averaging(0.005, period=2 if name.startswith(("td3", "ptd3")) else 1)
    smoothed = (0.2, 0.5) if name == "td3" else (0.0, 0.5)
    assert (recipe.backup.smoothing, recipe.backup.smoothing_clip) == smoothed
    assert (recipe.exploration == GaussianNoise(0.1)) == (name in ("td3", "ddpg"))
    first = name in ("td3", "ddpg", "ptd3", "ptd3-m")
    assert type(recipe.actor_pessimism).__name__ == (
        "FirstMember" if first else "MeanOfMembers" if name == "tqc" else "LowestMember"
    )
    assert recipe.target_pessimism == (TruncatedPool(0.08) if name == "tqc" else LowestAtoms())
    assert not recipe.return_units


def test_soft_q_learning_has_no_policy_in_its_target():
    _, recipe = RECIPES["sql"]
    assert recipe.backup == SoftMaximum(particles=16)
    assert (type(recipe.improvement).__name__, recipe.improvement.actions) == ("Stein", 16)
    assert (recipe.critic.members, recipe.policy_delay, recipe.averaging) == (2, 1, Averaging(0.005))


@pytest.mark.parametrize("name", ["m0p1g", "m0p0g"])
def test_epsilon_greedy_ablations_take_one_action_of_a_hundred_at_random(name):
    assert RECIPES[name][1].exploration == EpsilonUniform(0.01)


def test_categorical_members_are_not_mixed():
    assert RECIPES["pacer-c51"][1].target_pessimism == LowestMember()
