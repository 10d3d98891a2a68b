"""A controller that drives straight at the goal, seen through the goal's lidar alone, and how it scores.

    python -m pacer.envs.navigation.scripted [EPISODES]

prints the mean return of random actions and of this controller on the four tasks.
"""

import sys
from math import atan2, copysign, pi
from typing import NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pacer.envs.navigation.env import FIRST_LIDAR
from pacer.envs.navigation.tasks import TASKS
from pacer.envs.registration import register_environments

# The motors saturate at this control; anything larger drives just as hard.
FULL_FORCE = 0.02
TURN_ONLY = 0.5
STEERING = 2.0


def drive_to_goal(observation: NDArray[np.float64], bins: int = 16) -> NDArray[np.float32]:
    """The action that turns the nearer end of the car to the goal and drives; hazards and treasures are ignored."""
    goal = observation[FIRST_LIDAR : FIRST_LIDAR + bins]
    angles = (np.arange(bins) + 0.5) * (2.0 * pi / bins)
    # Forward is -y in the car's frame, and the left wheel at more force than the right turns it to the left.
    ahead, left = -float(goal @ np.sin(angles)), float(goal @ np.cos(angles))
    forward = 1.0 if ahead >= 0.0 else -1.0
    error = atan2(forward * left, abs(ahead))
    if abs(error) > TURN_ONLY:
        spin = copysign(FULL_FORCE, error)
        return np.array([spin, -spin], dtype=np.float32)
    turn = STEERING * error
    return np.array([forward + turn, forward - turn], dtype=np.float32) * np.float32(FULL_FORCE)


class Score(NamedTuple):
    """Returns and numbers of goals, one per episode."""

    returns: list[float]
    goals: list[int]


def score(id: str, scripted: bool, episodes: int) -> Score:
    """Play full episodes with seeds 0, 1, ... under the controller, or under uniformly random actions."""
    register_environments()
    env = gymnasium.make(id)
    result = Score([], [])
    for episode in range(episodes):
        rng = np.random.default_rng(episode)
        observation, _ = env.reset(seed=episode)
        total, goals, over = 0.0, 0, False
        while not over:
            action = drive_to_goal(observation) if scripted else rng.uniform(-1.0, 1.0, 2).astype(np.float32)
            observation, reward, _, over, info = env.step(action)
            total += float(reward)
            goals += info["goal_met"]
        result.returns.append(total)
        result.goals.append(goals)
    env.close()
    return result


def main() -> None:
    """Print one row per task and policy."""
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'environment':28}{'policy':10}{'return':>9}{'deviation':>11}{'goals':>8}   ({episodes} episodes)")
    for task in TASKS:
        for policy in ("random", "scripted"):
            returns, goals = score(f"pacer/{task}-v0", policy == "scripted", episodes)
            means = f"{np.mean(returns):9.1f}{np.std(returns):11.1f}{np.mean(goals):8.1f}"
            print(f"{f'pacer/{task}-v0':28}{policy:10}{means}")


if __name__ == "__main__":
    main()
