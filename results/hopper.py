"""What holds policies on Hopper's plateau near 300, a hop that ends in a fall: actor, steps, weight, entropy.

pacer bench results/hopper.py
"""

from pacer.experiments import Cell, Experiment

VARIANTS = (
    ("pacer", {}),
    ("pacer", {"recipe.actor": "Gaussian"}),
    ("pacer", {"recipe.weight": "Dual:1:0:1"}),  # without a floor
    ("pacer", {"recipe.weight": "Dual:0.1:0:1"}),
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
