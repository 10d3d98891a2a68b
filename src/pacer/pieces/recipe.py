"""A recipe: the pieces that make an algorithm, and the check that they fit together."""

from dataclasses import dataclass

from pacer.pieces.actors.base import Actor, DensityActor
from pacer.pieces.backups import Backup, PolicyBackup, SoftMaximum
from pacer.pieces.critics.base import Critic
from pacer.pieces.encouragers.base import Encourager, Nothing
from pacer.pieces.encouragers.weights import Fixed, MovingDual, Weight
from pacer.pieces.exploration import Exploration, NoExploration
from pacer.pieces.improvements import Ascent, Improvement
from pacer.pieces.risks import Neutral, Risk
from pacer.pieces.utilities import Identity, Utility


@dataclass(frozen=True)
class Averaging:
    """How target networks follow the online ones: by `rate`, every `period` updates."""

    rate: float = 0.005
    period: int = 1


@dataclass(frozen=True)
class Recipe:
    """Everything the learner needs to know of an algorithm. Static: a changed recipe is compiled anew."""

    actor: Actor
    critic: Critic
    encourager: Encourager = Nothing()
    weight: Weight = Fixed(0.0)
    backup: Backup = PolicyBackup()
    improvement: Improvement = Ascent()
    exploration: Exploration = NoExploration()
    utility: Utility = Identity()
    risk: Risk = Neutral()
    averaging: Averaging = Averaging()
    policy_delay: int = 2
    """Critic updates per actor update."""
    actor_learning_rate: float = 3e-4
    critic_learning_rate: float = 3e-4
    discount: float = 0.99
    reward_scale: float = 1.0
    """Multiplies the utility of a reward, in training only."""
    batch: int = 256

    def __post_init__(self) -> None:
        if self.encourager.needs_density and not isinstance(self.actor, DensityActor):
            raise ValueError(
                f"{_name(self.encourager)} needs the policy's density, and a {_name(self.actor)} actor has none: "
                "use a sample-based encourager such as MMD, or an actor with a density such as Gaussian"
            )
        if not self.critic.distributional and self.risk != Neutral():
            raise ValueError(
                f"risk measure {self.risk} needs a distribution of returns, and an {_name(self.critic)} critic "
                "learns only their mean: use a distributional critic such as Quantile"
            )
        if isinstance(self.encourager, Nothing) and self.weight != Fixed(0.0):
            raise ValueError(f"weight {self.weight} has no encourager to weigh: use Fixed(0.0), or an encourager")
        if isinstance(self.weight, MovingDual) and self.encourager.samples < 2:
            raise ValueError(f"MovingDual needs a sample-based encourager, not {_name(self.encourager)}: use Dual")
        if isinstance(self.backup, PolicyBackup) and self.backup.penalty_in_return and self.encourager.samples > 1:
            raise ValueError(
                f"{_name(self.encourager)} compares samples of a few states and cannot be part of every return: "
                "use penalty_in_return=False, or Entropy"
            )
        if isinstance(self.backup, SoftMaximum) and self.critic.distributional:
            raise ValueError(
                f"SoftMaximum backs up one number, and a {_name(self.critic)} critic learns a distribution"
            )
        self._check_numbers()

    def _check_numbers(self) -> None:
        for name in ("policy_delay", "batch", "actor_learning_rate", "critic_learning_rate"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is {getattr(self, name)}: expected a number above 0")
        if not 0 <= self.discount < 1:
            raise ValueError(f"discount is {self.discount}: expected 0 <= discount < 1")
        if not (0 < self.averaging.rate <= 1 and self.averaging.period >= 1):
            raise ValueError(f"averaging is {self.averaging}: expected 0 < rate <= 1 and period >= 1")
        if self.encourager.samples > 1 and not 1 <= self.encourager.states <= self.batch:
            raise ValueError(
                f"the encourager looks at {self.encourager.states} states of a batch of {self.batch}: "
                "expected at least 1 and at most the batch"
            )


def _name(piece: object) -> str:
    return type(piece).__name__
