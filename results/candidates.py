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
    {"recipe.actor.skip": 0.0},
    {"recipe.backup.penalty_in_return": False},
    {"recipe.weight.wider": 0.0},
    {"recipe.weight.spread": 0.4, "recipe.weight.wider": 0.0},
    {"recipe.encourager": "Repulsion:4:64", "recipe.weight": "WidthDual", "recipe.backup.penalty_in_return": False},
    {
        "recipe.encourager": "MMD:4:64",
        "recipe.encourager.root": False,
        "recipe.weight": "Balanced",
        "recipe.backup.penalty_in_return": False,
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
