"""Small tasks, on which a policy that has learned must be allowed to narrow; MountainCar's goal needs noise that lasts.

pacer bench results/small.py --only-env InvertedPendulum-v4 Pendulum-v1
pacer bench results/small.py --only-env MountainCarContinuous-v0 --steps 30000 --seeds 5
"""

from pacer.experiments import Cell, Experiment

TASKS = {
    "InvertedPendulum-v4": {"schedule.evaluate_every": 2_500},
    "Pendulum-v1": {"schedule.evaluate_every": 2_500},
    "MountainCarContinuous-v0": {"recipe.noise": "Held"},
}

EXPERIMENT = Experiment(
    "small tasks",
    cells=tuple(Cell(recipe, env, overrides=needed) for env, needed in TASKS.items() for recipe in ("pacer", "sac")),
    steps=15_000,
    seeds=2,
    size="small",
)
