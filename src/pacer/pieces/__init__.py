"""The pieces of all algorithms, under flat names: pure functions of explicit parameters, in JAX."""

from pacer.pieces.actors.base import Actor
from pacer.pieces.actors.deterministic import Deterministic
from pacer.pieces.actors.flow import Flow
from pacer.pieces.actors.gaussian import Gaussian
from pacer.pieces.actors.push_forward import PushForward
from pacer.pieces.actors.semi_implicit import SemiImplicit
from pacer.pieces.backups import Backup, PolicyBackup, SoftMaximum
from pacer.pieces.bodies.base import Body
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.bodies.norms import BatchNorm, LayerNorm, NoNorm, Norm
from pacer.pieces.bodies.residual import Residual
from pacer.pieces.critics.base import Critic
from pacer.pieces.critics.categorical import Categorical
from pacer.pieces.critics.expected import Expected
from pacer.pieces.critics.fixed_quantile import FixedQuantile
from pacer.pieces.critics.generator import Generator
from pacer.pieces.critics.proposed import Proposed
from pacer.pieces.critics.quantile import Quantile
from pacer.pieces.encouragers.base import Encourager, Nothing, SampleEncourager, Seen
from pacer.pieces.encouragers.duals import Dual, FlooredDual, MovingDual, WidthDual
from pacer.pieces.encouragers.entropy import Entropy
from pacer.pieces.encouragers.mmd import MMD
from pacer.pieces.encouragers.reference import Reference, TruncatedNormal, Uniform
from pacer.pieces.encouragers.repulsion import Repulsion
from pacer.pieces.encouragers.sliced import Sliced
from pacer.pieces.encouragers.volume import Volume
from pacer.pieces.encouragers.wasserstein import Wasserstein
from pacer.pieces.encouragers.weights import Balanced, Fixed, Weight
from pacer.pieces.exploration import EpsilonUniform, Exploration, GaussianNoise, NoExploration
from pacer.pieces.improvements import Ascent, Improvement, Stein
from pacer.pieces.noises import Autoregressive, Held, Noise, Pink, White
from pacer.pieces.optimisers import Adam, AdamW, Clipped, Optimiser, Scheduled
from pacer.pieces.pessimism import (
    FirstMember,
    LowestAtoms,
    LowestMember,
    MeanMinusDeviation,
    MeanOfMembers,
    Pessimism,
    TruncatedPool,
)
from pacer.pieces.piece import Piece
from pacer.pieces.recipe import Averaging, Recipe
from pacer.pieces.risks import CPW, CVaR, Entropic, MeanDeviation, Neutral, PowerRisk, Risk, VaR, Wang
from pacer.pieces.scaling import Scaling
from pacer.pieces.types import Actions, Network, Networks, Returns, Space, Transition
from pacer.pieces.utilities import ActionCost, Combination, Exponential, Identity, Power, Truncation, Utility

__all__ = [
    "CPW",
    "MLP",
    "MMD",
    "ActionCost",
    "Actions",
    "Actor",
    "Adam",
    "AdamW",
    "Ascent",
    "Autoregressive",
    "Averaging",
    "Backup",
    "Balanced",
    "BatchNorm",
    "Body",
    "CVaR",
    "Categorical",
    "Clipped",
    "Combination",
    "Critic",
    "Deterministic",
    "Dual",
    "Encourager",
    "Entropic",
    "Entropy",
    "EpsilonUniform",
    "Expected",
    "Exploration",
    "Exponential",
    "FirstMember",
    "Fixed",
    "FixedQuantile",
    "FlooredDual",
    "Flow",
    "Gaussian",
    "GaussianNoise",
    "Generator",
    "Held",
    "Identity",
    "Improvement",
    "LayerNorm",
    "LowestAtoms",
    "LowestMember",
    "MeanDeviation",
    "MeanMinusDeviation",
    "MeanOfMembers",
    "MovingDual",
    "Network",
    "Networks",
    "Neutral",
    "NoExploration",
    "NoNorm",
    "Noise",
    "Norm",
    "Nothing",
    "Optimiser",
    "Pessimism",
    "Piece",
    "Pink",
    "PolicyBackup",
    "Power",
    "PowerRisk",
    "Proposed",
    "PushForward",
    "Quantile",
    "Recipe",
    "Reference",
    "Repulsion",
    "Residual",
    "Returns",
    "Risk",
    "SampleEncourager",
    "Scaling",
    "Scheduled",
    "Seen",
    "SemiImplicit",
    "Sliced",
    "SoftMaximum",
    "Space",
    "Stein",
    "Transition",
    "TruncatedNormal",
    "TruncatedPool",
    "Truncation",
    "Uniform",
    "Utility",
    "VaR",
    "Volume",
    "Wang",
    "Wasserstein",
    "Weight",
    "White",
    "WidthDual",
]
