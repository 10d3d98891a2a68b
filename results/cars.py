"""How far the default and `sac` get on the first car, with white noise and with noise that lasts.

pacer bench results/cars.py
"""

from pacer.experiments import Cell, Experiment

NOISES = ({}, {"recipe.noise": "Held"})

EXPERIMENT = Experiment(
    "the first car",
    cells=tuple(
        Cell(recipe, "pacer/CarNavigation1-v0", overrides=noise) for noise in NOISES for recipe in ("pacer", "sac")
    ),
    steps=300_000,
    seeds=2,
    size="small",
)
