"""The rules for the weight between which the default was chosen, each as a recipe without a value per task, beside the
paper's adaptive one, which has them.

pacer bench results/candidates.py
pacer bench results/candidates.py --steps 10000 --only-env Pendulum-v1 InvertedPendulum-v4
"""

from pacer.experiments import Cell, Experiment

MMD = {"recipe.encourager": "MMD:4:64", "recipe.encourager.root": False}
CANDIDATES = (
    ("pacer", {}),
    ("pacer-m-adaptive", {}),
    ("drac", {}),  # a spread with a dual
    ("pacer", {**MMD, "recipe.weight": "Balanced"}),  # a share of the critic's force
    ("pacer", {**MMD, "recipe.weight": "Fixed:1"}),  # a fixed weight, in return units
)

EXPERIMENT = Experiment(
    "candidates for the default",
    cells=tuple(
        Cell(recipe, env, overrides=changes)
        for env in ("HalfCheetah-v4", "Hopper-v4", "Pendulum-v1", "InvertedPendulum-v4")
        for recipe, changes in CANDIDATES
    ),
    steps=50_000,
    seeds=2,
    size="small",
)
