"""What holds policies on Hopper's plateau near 300, a hop that ends in a fall: no entropy in the return, noise, steps.

pacer bench results/hopper.py
"""

from pacer.experiments import Cell, Experiment

VARIANTS = (
    ("pacer", {}),
    ("pacer", {"recipe.backup": "PolicyBackup"}),
    ("pacer", {"recipe.weight.initial": 0.1}),
    ("pacer", {"recipe.policy_delay": 2}),
    ("sac", {}),
    ("sac", {"recipe.backup.penalty_in_return": False}),
)

EXPERIMENT = Experiment(
    "what Hopper's plateau is made of",
    cells=tuple(Cell(recipe, "Hopper-v4", overrides=changes) for recipe, changes in VARIANTS),
    steps=40_000,
    seeds=2,
    size="small",
)
