"""The first table: how the default compares with its neighbours after 100,000 steps, on one core in half an hour each.

pacer bench results/main.py
"""

from pacer.experiments import Experiment, grid

RECIPES = ("pacer", "pacer-soft", "sac", "td3", "pacer-m-adaptive")
TASKS = ("HalfCheetah-v4", "Hopper-v4", "Walker2d-v4", "Ant-v4")

EXPERIMENT = Experiment(
    "100,000 steps at the small size",
    cells=grid(RECIPES, TASKS),
    steps=100_000,
    seeds=3,
    size="small",
)
