"""Risk measures and utilities as they are typed, and the names of runs."""

from dataclasses import dataclass

import pytest

from pacer.errors import PacerError
from pacer.names import label, parse_piece, safe, shown
from pacer.pieces.critics.quantile import Quantile
from pacer.pieces.encouragers.base import Encourager
from pacer.pieces.encouragers.mmd import MMD
from pacer.pieces.encouragers.weights import Fixed
from pacer.pieces.noises import Held, Noise, Pink
from pacer.pieces.optimisers import Adam, Optimiser
from pacer.pieces.risks import CVaR, Neutral, Risk, Wang
from pacer.pieces.utilities import Combination, Identity, Power, Truncation, Utility
from pacer.runs.codec import members


@pytest.mark.parametrize(
    "text, family, piece",
    [
        ("neutral", Risk, Neutral()),
        ("cvar:0.25", Risk, CVaR(0.25)),
        ("cvar:-0.5", Risk, CVaR(-0.5)),
        ("wang:0.75", Risk, Wang(0.75)),
        ("identity", Utility, Identity()),
        ("power:1.5", Utility, Power(1.5)),
        ("truncation:-2:3", Utility, Truncation(-2, 3)),
        ("combination:0.3", Utility, Combination(coefficient=0.3)),
    ],
)
def test_pieces_as_they_are_typed(text, family, piece):
    assert parse_piece(text, family) == piece
    assert shown(piece) == text.replace(":", "_")


@pytest.mark.parametrize(
    "text, message",
    [
        ("cvra:0.25", "Did you mean cvar"),
        ("cvar:0.25:3", "expected cvar:LEVEL"),
        ("cvar", "risk 'cvar': expected cvar:LEVEL. cvar is: The mean of the worst"),
        ("cvar:", "level is '': expected a number"),
        ("cvar:much", "level is 'much': expected a number"),
        ("cvar:2", "0 < level <= 1"),
    ],
)
def test_wrong_ones_are_refused(text, message):
    with pytest.raises(PacerError, match=message):
        parse_piece(text, Risk)


def test_the_name_of_a_class_will_do_where_there_is_a_short_one():
    assert parse_piece("CVaR:0.25", Risk) == parse_piece("cvar:0.25", Risk)


@pytest.mark.parametrize("family", [Risk, Utility])
def test_every_piece_of_ours_has_a_short_name_of_its_own(family):
    ours = [piece for piece in members(family).values() if piece.__module__.startswith("pacer.")]
    names = [vars(piece)["short"] for piece in ours]
    assert len(set(names)) == len(names)


def test_a_measure_of_the_users_own_is_typed_by_its_short_name_or_its_class():
    @dataclass(frozen=True)
    class Careful(CVaR):
        pass

    assert parse_piece("Careful:0.1", Risk) == Careful(0.1)
    assert parse_piece("cvar:0.1", Risk) == CVaR(0.1)


def test_other_pieces_go_by_their_class_and_may_leave_numbers_out():
    assert parse_piece("Adam", Optimiser) == Adam()
    assert parse_piece("Adam:1e-3", Optimiser) == Adam(1e-3)
    with pytest.raises(PacerError, match=r"unknown optimiser 'adam'\. Did you mean Adam"):
        parse_piece("adam", Optimiser)
    with pytest.raises(PacerError, match="optimiser 'Adam:1:2:3:4': expected Adam:LEARNING_RATE:MOMENTUM:MEMORY"):
        parse_piece("Adam:1:2:3:4", Optimiser)


@pytest.mark.parametrize(
    "text, family, piece",
    [
        ("Held:5", Noise, Held(longest=5)),
        ("Held:5:1.5", Noise, Held(longest=5, exponent=1.5)),
        ("Held:16:3", Noise, Held(longest=16, exponent=3.0)),
        ("Pink:100", Noise, Pink(length=100)),
        ("MMD:100:8", Encourager, MMD(samples=100, states=8)),
        ("MMD", Encourager, MMD()),
        ("Adam:0.001", Optimiser, Adam(1e-3)),
    ],
)
def test_numbers_are_the_fields_in_their_order_whole_or_not(text, family, piece):
    assert parse_piece(text, family) == piece
    assert shown(piece) == text.replace(":", "_")


@pytest.mark.parametrize("number", ["1.5", "inf", "nan"])
def test_a_whole_number_is_not_rounded(number):
    with pytest.raises(PacerError, match=rf"noise 'Held:{number}': longest is {number}: expected a whole number"):
        parse_piece(f"Held:{number}", Noise)


def test_a_label_tells_what_was_changed():
    changes = {
        "critic.levels": 64,
        "risk": CVaR(0.25),
        "actor.body.hidden": (32, 32),
        "discount": 1e-5,
        "keep_replay": False,
    }
    expected = "sac-critic.levels_64-risk_cvar_0.25-actor.body.hidden_32x32-discount_1e-05-keep_replay_False"
    assert label("sac", changes) == expected
    assert label("sac", {}) == "sac"
    assert label("sac", {"weight": Fixed(0.1)}) == "sac-weight_Fixed_0.1"


@pytest.mark.parametrize(
    "one, other",
    [
        ({"critic": Quantile(levels=3)}, {"critic": Quantile(levels=4)}),
        ({"utility": Combination(Power(2.0))}, {"utility": Combination(Power(3.0))}),
        ({"discount": 0.12345678}, {"discount": 0.12345679}),
        ({"option": "a b"}, {"option": "a_b"}),
        ({"option": "a" * 300 + "b"}, {"option": "a" * 300 + "c"}),
    ],
)
def test_different_changes_have_different_labels(one, other):
    assert label("sac", one) != label("sac", other)
    assert all(len(label("sac", changes)) < 130 for changes in (one, other))


@pytest.mark.parametrize("text", ["", ".", "..", "a/b", "/etc", "\\", "a\0b", "..." * 50, "ü", "a:b"])
def test_no_name_leaves_its_folder(text):
    name = safe(text)
    assert "/" not in name
    assert name.strip(".")
    assert name.isascii()
    assert name == safe(name)
