"""Every algorithm, as a recipe over shared pieces."""

from dataclasses import replace

from pacer.actors.gaussian import Gaussian
from pacer.actors.push_forward import PushForward
from pacer.critics.quantile import Quantile
from pacer.encouragers.base import Nothing
from pacer.encouragers.mmd import MMD
from pacer.encouragers.weight import Fixed, MovingDual
from pacer.exploration import EpsilonUniform
from pacer.recipe import Recipe

PACER_M = Recipe(actor=PushForward(), critic=Quantile(), encourager=MMD(), weight=Fixed(0.01))
PACER_M_ADAPTIVE = replace(PACER_M, weight=MovingDual())

# The ablations: M is the encourager, P the push-forward policy, G epsilon-greedy exploration.
M1P0 = replace(PACER_M, actor=Gaussian())
M0P1 = replace(PACER_M, encourager=Nothing(), weight=Fixed(0.0))
M0P1G = replace(M0P1, exploration=EpsilonUniform(0.01))
M0P0 = replace(M0P1, actor=Gaussian())
M0P0G = replace(M0P0, exploration=EpsilonUniform(0.01))

RECIPES: dict[str, tuple[str, Recipe]] = {
    "pacer-m-adaptive": ("PACER_M whose encourager weight holds a distance", PACER_M_ADAPTIVE),
    "pacer-m": ("push-forward actor, implicit quantile critic, MMD encourager", PACER_M),
    "m1p0": ("ablation: PACER_M with a Gaussian actor", M1P0),
    "m0p1": ("ablation: PACER_M without encourager", M0P1),
    "m0p1g": ("ablation: m0p1 with epsilon-greedy exploration", M0P1G),
    "m0p0": ("ablation: Gaussian actor and no encourager", M0P0),
    "m0p0g": ("ablation: m0p0 with epsilon-greedy exploration", M0P0G),
}
