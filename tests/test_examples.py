"""Every example that trains runs from its first line to its last, in a process of its own and on a small budget."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from pacer.observers import STOP, Episode, Evaluated, Started
from pacer.runs.reader import Run

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
SCRIPTS = [p for p in EXAMPLES if p.stem != "optuna_search" and "__main__" in p.read_text("utf-8")]  # it: elsewhere
BUDGET = "1000"  # steps: until the first block of updates


@pytest.mark.slow
@pytest.mark.parametrize("example", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_trains_and_loads_what_it_trained(example, tmp_path):
    environment = {**os.environ, "STEPS": BUDGET}
    subprocess.run([sys.executable, example], cwd=tmp_path, env=environment, check=True, timeout=300)
    runs = Run.find(tmp_path / "runs" / example.stem.replace("_", "-"))
    assert runs
    for run in runs:
        assert run.status == "finished"
        assert run.progress()["step"].tolist() == [1000]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short(example):
    assert len(example.read_text("utf-8").splitlines()) < 40


def test_the_observer_asks_to_stop_at_its_target():
    until = runpy.run_path(str(EXAMPLES[0].parent / "own_observer.py"))["Until"](-200.0)
    answers = [until(Evaluated(1000, (Episode("greedy", 0, total, 200, total),))) for total in (-300.0, -200.0)]
    assert answers == [None, STOP]
    assert until(Started(0)) is None
