"""What the default owes to each of its parts, and to which other encourager or rule for the weight it was preferred.

pacer bench results/candidates.py
"""

from pacer.experiments import Cell, Experiment

TASKS = ("HalfCheetah-v4", "Hopper-v4", "InvertedPendulum-v4")
VARIANTS = (
    {},
    {"recipe.policy_delay": 2},
    {"recipe.return_units": False},
    {"recipe.critic.mean": "quantiles", "recipe.critic.threshold": 1.0},
    {"recipe.critic.mean": "squares"},
    {"recipe.critic": "Expected"},
    {"recipe.actor.skip": 0.0},
    {"recipe.actor": "Gaussian"},
    {"recipe.weight.bound_per_dimension": 0.2},
    {"recipe.weight.initial": 0.1},
    {"recipe.encourager": "Repulsion", "recipe.weight": "WidthDual"},
    {
        "recipe.encourager": "MMD:4:64",
        "recipe.encourager.root": False,
        "recipe.weight": "Balanced",
    },
    {"recipe.noise": "Held"},
)

EXPERIMENT = Experiment(
    "the parts of the default recipe",
    cells=tuple(Cell("pacer", env, overrides=changes) for env in TASKS for changes in VARIANTS),
    steps=20_000,
    seeds=2,
    size="small",
)
