"""Recipes: nonsense is refused when it is written, and the ablations differ in exactly the named pieces."""

from dataclasses import dataclass, fields, replace

import pytest

from pacer.pieces import (
    MLP,
    MMD,
    Adam,
    Ascent,
    Averaging,
    BatchNorm,
    Categorical,
    Critic,
    CVaR,
    Deterministic,
    Dual,
    Entropy,
    EpsilonUniform,
    Expected,
    Fixed,
    GaussianNoise,
    Held,
    LowestAtoms,
    LowestMember,
    MeanOfMembers,
    MovingDual,
    Nothing,
    Proposed,
    PushForward,
    Quantile,
    Recipe,
    Sliced,
    TruncatedNormal,
    TruncatedPool,
    WidthDual,
)
from pacer.recipes import (
    M0P0,
    M0P0G,
    M0P1,
    M0P1G,
    M1P0,
    PACER,
    PACER_C51,
    PACER_FQF,
    PACER_M,
    PACER_M_ADAPTIVE,
    PACER_W,
    PACER_W_ADAPTIVE,
    PTD3_M,
    RECIPES,
    SAC,
    SQL,
    TD3,
    W1P0,
)


@dataclass(frozen=True)
class Silent(Expected):
    """A critic that does not say how its returns are told in another unit."""

    rescaled = Critic.rescaled


@dataclass(frozen=True)
class Unsaid(Critic):
    """A critic that does not say whether it knows a distribution."""

    def init(self, key, space): ...
    def evaluate(self, network, obs, action, key, training=False): ...
    def error(self, online, batch, predicted, goal): ...


@pytest.mark.parametrize(
    "recipe, change, message",
    [
        (SAC, {"actor": PushForward()}, "needs the policy's density, and a PushForward actor has none"),
        (SAC, {"risk": CVaR(0.25)}, "needs a distribution of returns, and an Expected critic"),
        (SAC, {"weight": MovingDual()}, "MovingDual needs a sample-based encourager"),
        (SAC, {"encourager": MMD()}, "MMD compares samples.*use Entropy, or penalty_in_return=False"),
        (SQL, {"critic": Quantile()}, "SoftMaximum backs up one number"),
        (PACER_M, {"encourager": Nothing()}, "has no encourager to weigh"),
        (PACER_M, {"encourager": Nothing(), "weight": MovingDual()}, "has no encourager to weigh"),
        (PACER_M, {"policy_delay": 0}, "policy_delay of Recipe is 0"),
        (SQL, {"encourager": MMD(), "weight": MovingDual()}, "would ignore MMD: use Nothing"),
        (SQL, {"weight": Fixed(0.1)}, "has no encourager to weigh"),
        (PACER_M, {"encourager": Entropy()}, "needs the policy's density, and a PushForward actor has none"),
        (PACER_M, {"encourager": MMD(samples=1)}, "MMD with 1 sample.*expected 2 or more"),
        (PACER_M_ADAPTIVE, {"encourager": Sliced(samples=1)}, "Sliced with 1 sample"),
        (PACER_M, {"encourager": MMD(states=0)}, "0 states of a batch"),
        (PACER_M, {"critic": Categorical()}, "LowestAtoms compares atoms of different members.*use LowestMember"),
        (PACER_C51, {"actor_pessimism": MeanOfMembers()}, "MeanOfMembers compares atoms"),
        (PACER_C51, {"target_pessimism": TruncatedPool()}, "TruncatedPool compares atoms"),
        (PACER_M, {"weight": WidthDual()}, "Repulsion only, not that of MMD"),
        (PACER, {"encourager": MMD()}, "bound_per_dimension of 1.0 is one on a log-density, and MMD is a distance"),
        (PACER_M, {"batch": 0}, "batch of Recipe is 0"),
        (PACER, {"critic": Silent()}, "Silent has no `rescaled`.*or use return_units=False"),
        (SAC, {"critic": Unsaid()}, "Unsaid does not say `distributional`, as every Critic does"),
        (SAC, {"reward_scale": 0.0}, "reward_scale of Recipe is 0.0: expected a number above 0"),
        (PACER_M, {"critic": Quantile(levels=0)}, "levels is 0: expected 1 to 65536"),
        (SAC, {"critic": Expected(members=0)}, "members is 0: expected 1 to 65536"),
        (SAC, {"critic": Expected(MLP((256, 256, 256)), members=50)}, "150 layers in all members of Expected"),
        (PACER_M, {"discount": 1.0}, "0 <= discount < 1"),
        (PACER_M, {"discount": 1 - 1e-8}, "0 <= discount < 1, in single precision"),
        (PACER, {"return_steps": 0}, "return_steps of Recipe is 0"),
        (PACER, {"return_correction": 1.5}, "return_correction is 1.5: expected a share, from 0 to 1"),
        (PACER, {"return_correction": 0.5}, "with return_steps of 1 there is nothing to correct"),
        (PACER, {"return_decay": 0.5}, "with return_steps of 1 there is nothing to draw"),
        (PACER, {"return_steps": 2, "return_decay": 0.0}, "return_decay is 0.0: expected a chance above 0"),
        (
            SAC,
            {"return_steps": 3, "return_correction": 0.5},
            "which a return_correction of 0.5 leaves out of the steps",
        ),
        (
            SQL,
            {"return_steps": 3, "return_correction": 0.0},
            "which a return_correction of 0.0 leaves out of the steps",
        ),
        (PACER, {"reward_scale": 0.1}, "reward_scale is 0.1, and with return_units .*leave it at 1"),
        (TD3, {"noise": Held()}, "noise Held is that of the policy, and Deterministic has none.*GaussianNoise"),
        (PTD3_M, {"actor": Deterministic()}, "MMD encourages the actions of a state to differ, and those of Determin"),
        (SQL, {"actor": Deterministic()}, "particles are actions of one state, and those of Deterministic are all"),
    ],
)
def test_nonsense_is_refused_with_the_reason(recipe, change, message):
    with pytest.raises(ValueError, match=message):
        replace(recipe, **change)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Averaging(rate=0.0), "0 < rate <= 1"),
        (lambda: Adam(learning_rate=-1.0), "learning_rate is -1.0"),
        (lambda: Quantile(gate_norm=BatchNorm()), "expected NoNorm"),
        (lambda: Quantile(mean="head", merge="first"), "merge is 'first'.*expected 'last', 'linear'"),
        (lambda: Proposed(Quantile(mean="head")), "mean is 'head': expected 'quantiles'"),
        (lambda: WidthDual(width=0.0), "width of WidthDual is 0.0: expected a number above 0"),
        (lambda: Dual(initial=0.0), "initial of Dual is 0.0: expected a number above 0"),
        (lambda: Quantile(threshold=0.0), "threshold of Quantile is 0.0"),
        (lambda: Ascent(actions=0), "actions of Ascent is 0"),
        (lambda: GaussianNoise(-1.0), "deviation of GaussianNoise is -1.0"),
        (lambda: EpsilonUniform(1.5), "epsilon is 1.5: expected a probability"),
        (lambda: TruncatedNormal(0.0), "deviation of TruncatedNormal is 0.0"),
        (lambda: Sliced(p=0.5), "p is 0.5: expected 1 or more"),
        (lambda: MovingDual(initial=5.0), "expected 0 < low <= initial <= high"),
    ],
)
def test_a_piece_refuses_numbers_that_cannot_be_meant(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_pieces_that_fit_are_taken():
    replace(SAC, encourager=Nothing(), weight=Fixed(0.0))
    replace(PACER_M, critic=Categorical(), target_pessimism=LowestMember())
    replace(PACER_M, risk=CVaR(0.25), target_pessimism=LowestAtoms())
    # 5 members of a proposal of 5 layers beside a body of 6 are 55 layers, not 150.
    replace(PACER_FQF, critic=Proposed(Quantile(MLP((8,) * 6), members=5), MLP((8,) * 5)))


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
