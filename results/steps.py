"""How many rewards a target should count before it asks the critic, corrected for what was played or not.

pacer bench results/steps.py --only-env HalfCheetah-v4 Hopper-v4 Walker2d-v4 Ant-v4
pacer bench results/steps.py --steps 15000 --only-env InvertedPendulum-v4 Pendulum-v1
"""

from pacer.experiments import Cell, Experiment

SMALL = {"schedule.evaluate_every": 2_500}
TASKS = {
    "HalfCheetah-v4": {},
    "Hopper-v4": {},
    "Walker2d-v4": {},
    "Ant-v4": {},
    "InvertedPendulum-v4": SMALL,
    "Pendulum-v1": SMALL,
}
AS_PLAYED = {"recipe.return_correction": 0.0}
VARIANTS = (
    {"recipe.return_steps": 2},
    {"recipe.return_steps": 2, "recipe.return_correction": 0.5},
    {"recipe.return_steps": 2, **AS_PLAYED},
    {"recipe.return_steps": 3, **AS_PLAYED},
)

EXPERIMENT = Experiment(
    "how many rewards a target counts",
    cells=tuple(
        Cell("pacer", env, overrides={**changes, **needed}) for env, needed in TASKS.items() for changes in VARIANTS
    ),
    steps=100_000,
    seeds=3,
    size="small",
)
