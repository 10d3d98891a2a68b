"""Whether TD3's random steps and learning rates are what our `td3` lacks: its authors begin with 25,000 random steps.

pacer bench results/td3.py
"""

from pacer.experiments import Cell, Experiment

VARIANTS = (
    {},
    {"schedule.warm_up": 25_000, "schedule.learn_after": 25_000},
    {"recipe.actor_optimiser.learning_rate": 1e-3, "recipe.critic_optimiser.learning_rate": 1e-3},
)

EXPERIMENT = Experiment(
    "random steps and learning rates of TD3",
    cells=tuple(Cell("td3", "Hopper-v4", overrides=changes) for changes in VARIANTS),
    steps=100_000,
    seeds=2,
    size="small",
)
