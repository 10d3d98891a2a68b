"""Risk measures and utilities as they are typed."""

import pytest

from pacer.api import labelled, with_risk_and_utility
from pacer.errors import PacerError
from pacer.pieces.risks import CVaR, Neutral, Wang
from pacer.pieces.short_names import parse_risk, parse_utility
from pacer.pieces.utilities import Combination, Power, Truncation
from pacer.recipes import PACER_M, SAC


@pytest.mark.parametrize(
    "text, piece",
    [("neutral", Neutral()), ("cvar:0.25", CVaR(0.25)), ("cvar:-0.5", CVaR(-0.5)), ("wang:0.75", Wang(0.75))],
)
def test_risk_measures(text, piece):
    assert parse_risk(text) == piece


@pytest.mark.parametrize(
    "text, piece",
    [
        ("power:1.5", Power(1.5)),
        ("truncation:-2:3", Truncation(-2, 3)),
        ("combination:0.3", Combination(coefficient=0.3)),
    ],
)
def test_utilities(text, piece):
    assert parse_utility(text) == piece


@pytest.mark.parametrize(
    "text, message",
    [
        ("cvra:0.25", "Did you mean cvar"),
        ("cvar:0.25:3", "expected cvar:LEVEL"),
        ("cvar:much", "could not convert"),
        ("cvar:2", "0 < level <= 1"),
    ],
)
def test_wrong_ones_are_refused(text, message):
    with pytest.raises(PacerError, match=message):
        parse_risk(text)


def test_a_scalar_critic_refuses_a_risk_measure():
    with pytest.raises(PacerError, match="needs a distribution of returns"):
        with_risk_and_utility(SAC, "cvar:0.25", None)


def test_labels_tell_what_is_not_neutral():
    assert labelled("pacer-m", PACER_M) == "pacer-m"
    changed = with_risk_and_utility(PACER_M, "cvar:0.25", "truncation:-2:3")
    assert labelled("pacer-m", changed) == "pacer-m-risk_cvar_0.25-utility_truncation_-2_3"
