"""The other algorithms of the paper's comparison, and the paper's own recipes with a fixed weight.

pacer bench results/baselines.py
"""

from pacer.experiments import Experiment, grid

EXPERIMENT = Experiment(
    "baselines and fixed weights, 50,000 steps at the small size",
    cells=grid(("pacer-m", "pacer-w", "ptd3-m", "dsac", "idac", "lsp", "sql", "ddpg"), ("HalfCheetah-v4", "Hopper-v4")),
    steps=50_000,
    seeds=2,
    size="small",
)
