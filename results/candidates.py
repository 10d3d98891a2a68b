"""The rules for the weight between which the default was chosen, each as a recipe without a value per task, beside the
paper's adaptive one, which has them.

pacer bench results/candidates.py --only-env HalfCheetah-v4
pacer bench results/candidates.py --steps 100000 --only-env Hopper-v4 Walker2d-v4 pacer/CarNavigation1-v0
pacer bench results/candidates.py --steps 30000 --only-env MountainCarContinuous-v0
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
TASKS = {
    "HalfCheetah-v4": {},
    "Hopper-v4": {},
    "Walker2d-v4": {},
    "Pendulum-v1": {},
    "InvertedPendulum-v4": {},
    "MountainCarContinuous-v0": {"recipe.noise": "Held"},  # whose goal white noise does not reach
    "pacer/CarNavigation1-v0": {},
}

EXPERIMENT = Experiment(
    "candidates for the default",
    cells=tuple(
        Cell(recipe, env, overrides={**changes, **needed})
        for env, needed in TASKS.items()
        for recipe, changes in CANDIDATES
    ),
    steps=50_000,
    seeds=2,
    size="small",
)
