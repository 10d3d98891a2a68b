"""Six algorithms on four car navigation tasks (Table 4 of the paper)."""

from pacer.experiments.experiment import Experiment, grid

RECIPES = ("pacer-m", "pacer-w", "idac", "dsac", "sac", "td3")
TASKS = tuple(f"pacer/CarNavigation{number}-v0" for number in range(1, 5))

EXPERIMENT = Experiment("six algorithms on four car navigation tasks", grid(RECIPES, TASKS))
