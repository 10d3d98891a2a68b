"""A first look, in minutes: the default recipe and SAC on two small tasks."""

from pacer.experiments.experiment import Experiment, grid

CELLS = grid(
    ("pacer", "sac"),
    ("Pendulum-v1", "InvertedPendulum-v4"),
    overrides={"schedule.evaluate_every": 1_000},  # five points of a curve in so short a run
)

EXPERIMENT = Experiment("a first look, in minutes", CELLS, steps=5_000, seeds=2, size="small")
