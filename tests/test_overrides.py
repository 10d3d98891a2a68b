"""Values by dotted names: what is taken, as what, and what is refused with which reason."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from pacer.config import Schedule
from pacer.errors import PacerError
from pacer.overrides import changed, differences, tidied, whole
from pacer.pieces.encouragers.base import Nothing
from pacer.pieces.encouragers.duals import MovingDual
from pacer.pieces.encouragers.weights import Fixed
from pacer.pieces.exploration import Exploration
from pacer.pieces.optimisers import Adam
from pacer.pieces.risks import CVaR
from pacer.recipes import PACER_M_ADAPTIVE, SAC


@dataclass(frozen=True)
class Choices:
    recipe: object
    schedule: Schedule = Schedule()


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("critic.levels", 64, 64),
        ("critic.levels", np.int32(64), 64),
        ("critic.levels", 64.0, 64),
        ("discount", 0, 0.0),
        ("discount", np.float32(0.5), 0.5),
        ("weight.range", [1, 2], (1.0, 2.0)),
        ("weight.range", np.array([1.0, 2.0]), (1.0, 2.0)),
        ("actor.body.hidden", [3, 4], (3, 4)),
        ("weight", "Fixed:0.1", Fixed(0.1)),
        ("actor_optimiser", "Adam:1e-3", Adam(1e-3)),
        ("encourager.kernel", "squared_energy", "squared_energy"),
    ],
)
def test_values_take_the_type_of_their_field(name, value, expected):
    found = changed(PACER_M_ADAPTIVE, {name: value})
    for part in name.split("."):
        found = getattr(found, part)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("recipe.critic.levles", 64, r"recipe\.critic \(Quantile\) has no field 'levles'\. Did you mean levels"),
        ("critic.levels", 64, r"overrides \(Choices\) has no field 'critic'\. It has recipe, schedule"),
        ("recipe.batch.size", 64, r"recipe\.batch \(int\) has no fields"),
        ("recipe.critic.levels", "64", r"recipe\.critic\.levels is '64': expected a whole number"),
        ("recipe.critic.levels", 1.5, "expected a whole number"),
        ("recipe.critic.levels", True, "expected a whole number"),
        ("recipe.discount", "1e-3", r"recipe\.discount is '1e-3': expected float"),
        ("recipe.weight.range", [1.0], r"recipe\.weight\.range is"),
        ("recipe.actor.body.hidden", 64, r"recipe\.actor\.body\.hidden is 64: expected tuple\[int, \.\.\.\]"),
        ("recipe.critic", CVaR(0.5), r"recipe\.critic is CVaR\(level=0\.5\): expected Critic"),
        ("recipe.critic", CVaR, r"recipe\.critic is .*: expected Critic"),
        ("recipe.weight", "Fxied", "unknown weight 'Fxied'. Did you mean Fixed"),
        ("recipe.discount", 2, "expected 0 <= discount < 1"),
        ("schedule.block", 0, "block is 0"),
    ],
)
def test_wrong_names_and_values_are_refused(name, value, message):
    with pytest.raises(PacerError, match=message):
        changed(Choices(PACER_M_ADAPTIVE), {name: value})


@dataclass
class Thawed(Exploration):
    def perturb(self, action, rng):
        return action


def test_pieces_that_cannot_be_compiled_in_are_refused():
    with pytest.raises(
        PacerError, match=r"recipe\.exploration \(Thawed\).*unhashable.*expected @dataclass\(frozen=True\)"
    ):
        tidied(replace(SAC, exploration=Thawed()), "recipe")


def test_only_the_result_has_to_fit_together():
    bare = changed(PACER_M_ADAPTIVE, {"weight": Fixed(0.0), "encourager": Nothing()})
    assert bare == changed(PACER_M_ADAPTIVE, {"encourager": Nothing(), "weight": Fixed(0.0)})
    assert (bare.encourager, bare.weight) == (Nothing(), Fixed(0.0))


def test_a_piece_and_a_field_of_it_may_come_together():
    changes = {"weight.step": 0.5, "weight": MovingDual(slack=0.1)}
    assert changed(PACER_M_ADAPTIVE, changes).weight == MovingDual(slack=0.1, step=0.5)


def test_differences_are_the_changes_that_lead_there():
    other = replace(SAC, weight=Fixed(0.1), batch=7, critic=replace(SAC.critic, members=3))
    found = differences(SAC, other)
    assert found == {"critic.members": 3, "weight": Fixed(0.1), "batch": 7}
    assert changed(SAC, found) == other
    assert differences(SAC, SAC) == {}


@pytest.mark.parametrize("value", [2_000, 2e3, np.int64(2_000), np.float32(2_000), np.array(2_000)])
def test_whole_numbers(value):
    assert whole(value, "steps") == 2_000
    assert type(whole(value, "steps")) is int


@pytest.mark.parametrize("value", [1.5, "2000", None, True, float("inf"), float("nan"), [1]])
def test_what_is_no_whole_number(value):
    with pytest.raises(PacerError, match=r"steps is .*: expected a whole number"):
        whole(value, "steps")
