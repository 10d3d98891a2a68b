"""What a run shows: only figures it has, lines where there is no terminal, and warnings always."""

import io
import os
import sys

import pytest
from rich.console import Console

from pacer.observers import Episode, Evaluated, Finished, Phase, Progress, Started, Warned
from pacer.observers import display as module
from pacer.observers.display import Display
from tests.tiny_runs import configuration

EVALUATED = Evaluated(
    50,
    (Episode("greedy", 0, 1234.5, 7, 9.0), Episode("greedy", 1, 1000.5, 7, 8.0), Episode("sampled", 0, -2.0, 8, -1.0)),
)


def progress(step=50, **metrics):
    return Progress(step, 3, float("nan"), metrics, {})


def shown(capsys, *events, **options):
    with Display(configuration(), **options) as display:
        for event in events:
            display(event)
    return capsys.readouterr()


def test_elsewhere_than_on_a_terminal_lines_tell_the_story_from_the_start(capsys):
    metrics = {"critic_loss": 1.0, "distance": 0.5, "weight": 0.25}
    events = (Started(0), Phase("compiling"), progress(**metrics), Phase("evaluating"), EVALUATED)
    first, compiling, line, last = shown(capsys, *events, Finished(50, "stopped")).out.splitlines()
    assert first == "pacer-m-adaptive on Drift-v0, seed 0: to learn for 200 steps"
    assert "compiling" in compiling
    assert " ".join(line.split()).startswith(
        "step 50 greedy 1,118 sampled -2 training - distance 0.5 weight 0.25 best 1,118"
    )
    assert line.endswith("left")
    assert last.startswith("stopped at step 50 after 0:0")


def test_a_long_silence_is_broken(capsys, monkeypatch):
    monkeypatch.setattr(module, "SILENCE", -1.0)
    said = shown(capsys, Started(0), progress(10), progress(20)).out.splitlines()
    assert [line.split()[1] for line in said[1:]] == ["10", "20"]


def test_the_best_is_that_of_the_whole_run(capsys):
    assert "best    2,000" in shown(capsys, Started(10, 2000.0), progress(), EVALUATED).out


@pytest.mark.parametrize(
    "metrics, named, unnamed",
    [
        ({"critic_loss": 1.0}, [], ["distance", "log density", "weight"]),
        ({"critic_loss": 1.0, "distance": 0.0, "weight": 0.0}, [], ["distance", "log density", "weight"]),
        ({"critic_loss": 1.0, "log_density": -2.0, "weight": 0.1}, ["log density", "weight"], ["distance"]),
    ],
)
def test_only_the_figures_that_a_recipe_has_are_shown(capsys, metrics, named, unnamed):
    said = shown(capsys, Started(0), progress(**metrics), EVALUATED).out
    assert all(name in said for name in named)
    assert not any(name in said for name in unnamed)


def test_a_run_that_goes_on_says_from_where(capsys):
    assert shown(capsys, Started(150)).out.endswith(": continuing from step 150 of 200 steps\n")


def test_a_quiet_run_says_nothing_but_warnings(capsys):
    said = shown(
        capsys, Started(50), progress(), EVALUATED, Warned("odd [weather]"), Finished(50, "finished"), quiet=True
    )
    assert (said.out, said.err) == ("", "pacer: odd [weather]\n")


@pytest.fixture
def terminal(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(module, "Console", lambda: Console(file=screen, force_terminal=True, width=100))
    monkeypatch.setattr(Display, "_on_terminal", lambda display: True)
    monkeypatch.setattr(module, "claim_terminal", lambda: os.open(os.devnull, os.O_RDONLY))
    return screen


def test_a_second_run_in_a_terminal_writes_lines_under_its_name(terminal, capsys, monkeypatch):
    monkeypatch.setattr(module, "claim_terminal", lambda: None)
    said = shown(capsys, Started(0), progress(), EVALUATED).out.splitlines()
    assert len(said) == 2
    assert all(line.startswith("[pacer-m-adaptive on Drift-v0, seed 0] ") for line in said)
    assert terminal.getvalue() == ""


def test_a_terminal_has_one_panel_at_a_time(monkeypatch):
    ours, theirs = os.openpty()
    monkeypatch.setattr(sys, "stdout", os.fdopen(theirs, "w"))
    first = module.claim_terminal()
    assert first is not None
    assert module.claim_terminal() is None
    os.close(first)
    again = module.claim_terminal()
    assert again is not None
    os.close(again)
    os.close(ours)


def test_a_terminal_has_a_panel_that_ends_with_the_latest_figures(terminal, capsys):
    events = (Started(0), progress(distance=0.5), EVALUATED, Warned("odd [weather]"), progress(200, distance=0.75))
    said = shown(capsys, *events, Finished(200, "finished")).out.splitlines()
    assert [line.split()[0] for line in said] == ["pacer-m-adaptive", "finished"]
    last = terminal.getvalue().rpartition("╭")[2]
    assert "pacer-m-adaptive on Drift-v0, seed 0" in last
    assert "200 of 200" in last
    assert "finished" in last
    assert "0.75" in last
    assert "1,118" in last
    assert "odd [weather]" in terminal.getvalue()


def test_a_run_that_has_nothing_to_do_shows_no_panel(terminal, capsys):
    assert shown(capsys).out == ""
    assert terminal.getvalue() == ""
