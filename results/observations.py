"""What normalising observations is worth: runs of `main.py` with observations as they are.

pacer bench results/observations.py
"""

from pacer.experiments import Cell, Experiment

EXPERIMENT = Experiment(
    "observations as they are",
    cells=tuple(
        Cell(recipe, env, overrides={"recipe.normalise_observations": False})
        for env in ("Ant-v4", "HalfCheetah-v4", "Hopper-v4", "Walker2d-v4")
        for recipe in ("pacer", "sac")
    ),
    steps=100_000,
    seeds=2,
    size="small",
)
