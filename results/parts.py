"""What makes `pacer-soft` differ from `pacer`, part by part: larger steps, a norm in the critic, one reward or two.

pacer bench results/parts.py --only-env HalfCheetah-v4 --only-seed 1
"""

from pacer.experiments import Cell, Experiment

NORM = {"recipe.critic.body.norm": "LayerNorm"}
PLAIN = {"recipe.critic.body.norm": "NoNorm"}
ONE_OR_TWO = {"recipe.return_steps": 2, "recipe.return_decay": 0.5, "recipe.return_correction": 0.0}
ONE = {"recipe.return_steps": 1, "recipe.return_decay": 1.0, "recipe.return_correction": 1.0}


def rates(rate: float) -> dict[str, float]:
    return {f"recipe.{part}_optimiser.learning_rate": rate for part in ("actor", "critic")}


VARIANTS = (
    ("pacer", NORM),
    ("pacer", rates(1e-3)),
    ("pacer", NORM | rates(1e-3)),
    ("pacer", NORM | rates(1e-3) | ONE_OR_TWO),
    ("pacer-soft", {}),
    ("pacer-soft", PLAIN),
    ("pacer-soft", ONE),
    ("pacer-soft", rates(3e-4)),
    ("pacer-soft", {"recipe.weight.most": 0.1}),
)
TASKS = ("HalfCheetah-v4", "Hopper-v4", "Walker2d-v4", "Ant-v4")

EXPERIMENT = Experiment(
    "larger steps, a norm, one reward or two",
    cells=tuple(Cell(recipe, env, overrides=changes) for env in TASKS for recipe, changes in VARIANTS),
    steps=100_000,
    seeds=3,
    size="small",
)
