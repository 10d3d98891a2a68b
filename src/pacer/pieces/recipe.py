"""A recipe: the pieces that make an algorithm."""

from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from pacer.pieces.actors.base import Actor
from pacer.pieces.backups import Backup, PolicyBackup
from pacer.pieces.critics.base import Critic
from pacer.pieces.encouragers.base import Encourager, Nothing
from pacer.pieces.encouragers.weights import Fixed, Weight
from pacer.pieces.exploration import Exploration, NoExploration
from pacer.pieces.improvements import Ascent, Improvement
from pacer.pieces.noises import Noise, White
from pacer.pieces.optimisers import Adam, Optimiser
from pacer.pieces.pessimism import LowestAtoms, LowestMember, Pessimism
from pacer.pieces.piece import Piece, check_told
from pacer.pieces.risks import Neutral, Risk
from pacer.pieces.sizes import check_positive, check_sizes
from pacer.pieces.types import Space
from pacer.pieces.utilities import Identity, Utility


@dataclass(frozen=True)
class Averaging(Piece):
    """How target networks follow the online ones: by `rate`, every `period` updates."""

    traced: ClassVar[tuple[str, ...]] = ("rate",)

    rate: float = 0.005
    period: int = 1

    def __post_init__(self) -> None:
        if not (0 < self.rate <= 1 and self.period >= 1):
            raise ValueError(f"averaging is {self}: expected 0 < rate <= 1 and period >= 1")


@dataclass(frozen=True)
class Recipe:
    """Everything the learner needs to know of an algorithm. But for numbers that it and its pieces name in `traced`,
    a changed recipe is compiled anew."""

    traced: ClassVar[tuple[str, ...]] = ("discount", "reward_scale")

    actor: Actor
    critic: Critic
    encourager: Encourager = Nothing()
    weight: Weight = Fixed(0.0)
    backup: Backup = PolicyBackup()
    improvement: Improvement = Ascent()
    noise: Noise = White()
    """How the policy's noise runs in time while it explores; learning and evaluation draw it anew for every action."""
    exploration: Exploration = NoExploration()
    utility: Utility = Identity()
    risk: Risk = Neutral()
    target_pessimism: Pessimism = LowestAtoms()
    """How the critic's members become one return in the target."""
    actor_pessimism: Pessimism = LowestMember()
    """How they become the one that the actor climbs."""
    averaging: Averaging = Averaging()
    actor_optimiser: Optimiser = Adam()
    critic_optimiser: Optimiser = Adam()
    policy_delay: int = 2
    """Critic updates per actor update."""
    discount: float = 0.99
    return_steps: int = 1
    """Rewards that a target counts at most before it asks the critic (n-step returns)."""
    return_decay: float = 1.0
    """The chance with which a target that has counted one of them counts the next as well (TD(lambda))."""
    return_correction: float = 1.0
    """The share of the correction of several for what was played, from 0 to 1."""
    reward_scale: float = 1.0
    """Multiplies the utility of a reward, in training only."""
    return_units: bool = False
    """Whether rewards are divided by a unit, their usual size, so that no task needs its own."""
    normalise_observations: bool = True
    """Whether networks see observations centred and divided by their deviation so far, within 5 of it."""
    batch: int = 256

    def __post_init__(self) -> None:
        check_positive(self, "policy_delay", "batch", "return_steps", "reward_scale")
        check_sizes(self.actor)
        check_sizes(self.critic)
        if not 0 <= np.float32(self.discount) < 1:
            raise ValueError(f"discount is {self.discount}: expected 0 <= discount < 1, in single precision")
        if self.return_units and self.reward_scale != 1:
            raise ValueError(
                f"reward_scale is {self.reward_scale}, and with return_units rewards are divided by their usual size, "
                "whatever their scale: leave it at 1, or set return_units to False"
            )
        if not 0 <= self.return_correction <= 1:
            raise ValueError(f"return_correction is {self.return_correction}: expected a share, from 0 to 1")
        if not 0 < self.return_decay <= 1:
            raise ValueError(f"return_decay is {self.return_decay}: expected a chance above 0, 1 at most")
        for name, what in (("return_correction", "correct"), ("return_decay", "draw")):
            if self.return_steps == 1 and getattr(self, name) != 1:
                raise ValueError(
                    f"{name} is {getattr(self, name)}, and with return_steps of 1 there is nothing to {what}: leave it "
                    "at 1, or set return_steps to 2 or more"
                )
        if self.return_steps > 1 and self.return_correction < 1 and self.backup.beside_rewards(1.0, Space(1, 1)):
            raise ValueError(
                f"return_steps is {self.return_steps}, and returns count a penalty or an entropy in every step, which "
                f"a return_correction of {self.return_correction} leaves out of the steps in between: leave it at 1, "
                "or return_steps at 1"
            )
        for field in fields(self):
            if isinstance(piece := getattr(self, field.name), Piece):
                check_told(piece)
                piece.check(self)
