"""How policies spread their actions, early, in the middle and at the end (the heat maps of Section 5.3 of the paper).

Every run's agents at 10, 50 and 100 % of its steps are sampled 100,000 times in each of three states.
"""

from pacer.experiments.experiment import Experiment, grid

RECIPES = ("pacer-m", "pacer-w", "m0p1", "dsac", "sac")

EXPERIMENT = Experiment("actions of the policies by phase", grid(RECIPES, ["HalfCheetah-v4"]), insight=True)
