"""What a utility of rewards and a risk measure of returns change where running fast is risky.

pacer bench results/risky.py
"""

from pacer.experiments import Cell, Experiment
from pacer.experiments.catalogue.utility import ENV, VARIANTS

CHOICES = (
    {},  # a power of 1, and CVaR at level 1
    {"utility": "power:0.5"},
    {"utility": "power:2"},
    {"risk": "cvar:0.25"},
)

EXPERIMENT = Experiment(
    "utility and risk on both variants of the risky HalfCheetah",
    cells=tuple(Cell("pacer", ENV, env_kwargs=variant, **choice) for variant in VARIANTS for choice in CHOICES),
    steps=60_000,
    seeds=2,
    size="small",
)
