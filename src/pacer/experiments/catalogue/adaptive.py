"""The encourager's weight, fixed and adaptive (Appendix C of the paper); its cells are among those of `mujoco`."""

from pacer.experiments.catalogue.mujoco import TASKS
from pacer.experiments.experiment import Experiment, grid

EXPERIMENT = Experiment("PACER_M with a fixed and an adaptive weight", grid(("pacer-m", "pacer-m-adaptive"), TASKS))
