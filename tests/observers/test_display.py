"""What a run shows: only figures it has, lines where there is no terminal, and warnings always."""

import io

import pytest
from rich.console import Console

from pacer.observers import Episode, Evaluated, Finished, Progress, Started, Warned
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


def test_elsewhere_than_on_a_terminal_there_is_a_line_per_evaluation(capsys):
    said = shown(capsys, Started(0), progress(critic_loss=1.0, distance=0.5, weight=0.25), EVALUATED).out
    (line,) = said.splitlines()
    assert " ".join(line.split()).startswith("step 50 greedy 1,118 sampled -2 training - distance 0.5 weight 0.25")
    assert line.endswith("left")


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
    assert shown(capsys, Started(1500)).out == "continuing from step 1,500\n"


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
    return screen


def test_a_terminal_has_a_panel_that_ends_with_the_latest_figures(terminal, capsys):
    events = (Started(0), progress(distance=0.5), EVALUATED, Warned("odd [weather]"), progress(200, distance=0.75))
    assert shown(capsys, *events, Finished(200, "finished")).out == ""
    last = terminal.getvalue().rpartition("╭")[2]
    assert "pacer-m-adaptive on Drift-v0, seed 0" in last
    assert "200 of 200" in last
    assert "0.75" in last
    assert "1,118" in last
    assert "odd [weather]" in terminal.getvalue()


def test_a_run_that_has_nothing_to_do_shows_no_panel(terminal, capsys):
    assert shown(capsys).out == ""
    assert terminal.getvalue() == ""
