"""Optuna gives up runs through an observer, the one of the example."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from pacer.runs.reader import Run
from pacer.training.stopping import Stopped
from tests.tiny_runs import train

optuna = pytest.importorskip("optuna", reason="needs the extra pacer-rl[test]")
pytestmark = pytest.mark.xdist_group("training")
EXAMPLE = Path(__file__).parents[2] / "examples" / "optuna_search.py"


def test_a_trial_that_is_given_up_ends_its_run(tmp_path):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    observer_of = runpy.run_path(str(EXAMPLE))["Pruner"]

    def objective(trial):
        with pytest.raises(Stopped):
            train(tmp_path / "run", observers=[observer_of(trial)])
        raise optuna.TrialPruned

    # No return is as high, so that the trial is given up at its first evaluation.
    study = optuna.create_study(direction="maximize", pruner=optuna.pruners.ThresholdPruner(lower=1e9))
    study.optimize(objective, n_trials=1)
    (trial,) = study.trials
    assert list(trial.intermediate_values) == [50]
    run = Run(tmp_path / "run")
    assert run.status == "stopped"
    assert run.evaluations()["step"].max() == 50
    greedy = run.evaluations()["return"][run.evaluations()["mode"] == "greedy"]
    assert trial.intermediate_values[50] == pytest.approx(greedy.mean())


@pytest.mark.slow
def test_the_example_searches(tmp_path):
    environment = {**os.environ, "STEPS": "1000", "TRIALS": "2"}
    said = subprocess.run(
        [sys.executable, EXAMPLE],
        cwd=tmp_path,
        env=environment,
        check=True,
        timeout=600,
        capture_output=True,
        text=True,
    )
    assert re.search(r"\{'discount': 0\.9\d*\} -\d+", said.stdout)
    assert len(Run.find(tmp_path / "runs")) == 2
