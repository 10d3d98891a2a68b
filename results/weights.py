"""What the floor under the weight of `pacer` is worth: the same dual without one, which holds an entropy as that of SAC
does, a constant, and a lower floor; and on Ant, what else might be lacking without it.

pacer bench results/weights.py
pacer bench results/weights.py --steps 30000 --only-env Ant-v4
"""

from pacer.experiments import Cell, Experiment

MMD = {"recipe.encourager": "MMD:4:64", "recipe.encourager.root": False}
DUAL = {"recipe.weight": "Dual:1:0:1"}
CONSTANT = {"recipe.weight": "Fixed:0.2"}
LOWER = {"recipe.weight.most": 0.1}
ON_ANT = (
    {"recipe.weight": "Fixed:0.5"},
    {"recipe.weight": "Dual:1:0:0"},  # wider
    {"recipe.weight": "Dual:0.1:0:1"},  # narrow from the start
    {**DUAL, "recipe.policy_delay": 2},
    {**MMD, "recipe.weight": "Fixed:1"},
    {**MMD, "recipe.encourager.kernel": "squared_energy", "recipe.weight": "Fixed:0.25"},  # to the centre, no width
)
TASKS = ("HalfCheetah-v4", "Hopper-v4", "Walker2d-v4", "Ant-v4")

EXPERIMENT = Experiment(
    "weights without a floor, and constants",
    cells=(
        *(Cell("pacer", env, overrides=changes) for env in TASKS for changes in (DUAL, CONSTANT, LOWER)),
        *(Cell("pacer", "Ant-v4", overrides=changes) for changes in ON_ANT),
    ),
    steps=100_000,
    seeds=2,
    size="small",
)
