"""A search with Optuna: an observer tells it every evaluation, and ends the runs that it gives up."""

import os
from typing import Any

import optuna

import pacer
from pacer.observers import STOP, Evaluated, Event

STEPS = int(os.environ.get("STEPS", 10_000))
TRIALS = int(os.environ.get("TRIALS", 10))


class Pruner:
    def __init__(self, trial: optuna.Trial) -> None:
        self.trial, self.gave_up = trial, False

    def __call__(self, event: Event) -> Any:
        if isinstance(event, Evaluated):
            self.trial.report(event.mean("greedy"), event.step)
            self.gave_up = self.trial.should_prune()
        return STOP if self.gave_up else None


def objective(trial: optuna.Trial) -> float:
    pruner, discount = Pruner(trial), trial.suggest_float("discount", 0.9, 0.99, step=0.01)
    changes = {"recipe.discount": discount, "schedule.evaluate_every": 1_000}
    agent = pacer.train("Pendulum-v1", "sac", STEPS, trial.number, overrides=changes, observers=[pruner], quiet=True)
    if pruner.gave_up:
        raise optuna.TrialPruned
    return pacer.evaluate(agent, "Pendulum-v1").mean("greedy")


if __name__ == "__main__":
    study = optuna.create_study(direction="maximize", pruner=optuna.pruners.MedianPruner(n_startup_trials=3))
    study.optimize(objective, n_trials=TRIALS)
    print(study.best_params, study.best_value)
