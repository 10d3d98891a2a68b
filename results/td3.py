"""Whether random steps, learning rates or observations as they are lack in our `td3` on Hopper and Walker2d: its
authors begin with 25,000 random steps and do not normalise.

pacer bench results/td3.py
"""

from pacer.experiments import Cell, Experiment

VARIANTS = (
    {},
    {"schedule.warm_up": 25_000, "schedule.learn_after": 25_000},
    {"recipe.actor_optimiser.learning_rate": 1e-3, "recipe.critic_optimiser.learning_rate": 1e-3},
    {"recipe.normalise_observations": False},
)

EXPERIMENT = Experiment(
    "random steps, learning rates and observations of TD3",
    cells=tuple(Cell("td3", env, overrides=changes) for env in ("Hopper-v4", "Walker2d-v4") for changes in VARIANTS),
    steps=100_000,
    seeds=2,
    size="small",
)
