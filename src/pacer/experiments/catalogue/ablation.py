"""What the encourager and the push-forward policy bring, each taken away (Table 3 of the paper)."""

from pacer.experiments.experiment import Experiment, grid

ROWS = ("pacer-m", "pacer-w", "m1p0", "w1p0", "m0p1g", "m0p1", "m0p0g", "m0p0", "dsac")

EXPERIMENT = Experiment("PACER without encourager or push-forward policy", grid(ROWS, ["HumanoidStandup-v4"]))
