"""How many rewards a target should count before it asks the critic: the default beside one and three.

pacer bench results/steps.py
"""

from pacer.experiments import Cell, Experiment

TASKS = ("HalfCheetah-v4", "Hopper-v4", "Walker2d-v4", "Ant-v4")

EXPERIMENT = Experiment(
    "how many rewards a target counts",
    cells=tuple(
        Cell("pacer", env, overrides={"recipe.return_steps": number} if number > 1 else {})
        for env in TASKS
        for number in (1, 2, 3)
    ),
    steps=100_000,
    seeds=3,
    size="small",
)
