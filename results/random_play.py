"""How far uniform actions get whose noise lasts: goals of MountainCar, and cells of the car's arena in an episode.

python results/random_play.py
"""

import itertools
from math import erf, sqrt

import gymnasium
import numpy as np
from table import fill

import pacer  # noqa: F401  (registers the car)
from pacer.envs.bounds import to_box
from pacer.envs.navigation.model import pose
from pacer.pieces import Autoregressive, Held, Noise, Pink, White

NOISES: dict[str, Noise] = {
    "white": White(),
    "Pink()": Pink(),
    "Autoregressive(0.9)": Autoregressive(0.9),
    "Autoregressive(0.98)": Autoregressive(0.98),
    "Held(16, 2.0)": Held(16, 2.0),
    "Held()": Held(),
}
EPISODES = 100
CELL = 0.25
CAR = "pacer/CarNavigation1-v0"


def played(environment: str, noise: str) -> tuple[float, float]:
    """Mean over episodes of goals reached, on the car of cells visited, and its standard error."""
    env, found = gymnasium.make(environment), []
    low, high = env.action_space.low, env.action_space.high  # type: ignore[attr-defined]
    for episode in range(EPISODES):
        env.reset(seed=episode)
        cells: set[tuple[float, float]] = set()
        terminated = truncated = False
        stream = NOISES[noise].stream(np.random.default_rng(episode), len(low))
        while not (terminated or truncated):
            uniform = np.array([erf(value / sqrt(2)) for value in next(stream)], np.float32)
            *_, terminated, truncated, _ = env.step(to_box(uniform, low, high))
            if environment == CAR:
                x, y, _ = pose(env.unwrapped.data)  # type: ignore[attr-defined]
                cells.add((x // CELL, y // CELL))
        found.append(len(cells) or float(terminated))
    return round(float(np.mean(found)), 2), round(float(np.std(found)) / sqrt(EPISODES), 2)


if __name__ == "__main__":
    columns = ("environment", "noise", "goals or cells in an episode", "standard error")
    fill("random_play", columns, itertools.product(("MountainCarContinuous-v0", CAR), NOISES), played)
