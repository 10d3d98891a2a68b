"""Experiments: what is compared, as declarations; and how their runs are planned and carried out."""

from pacer.experiments.experiment import Cell, Experiment, grid

__all__ = ["Cell", "Experiment", "grid"]
