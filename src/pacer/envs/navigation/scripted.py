"""Controllers that do one simple thing each, and how they score: what there is to be earned on the four tasks.

    python -m pacer.envs.navigation.scripted [EPISODES]

prints the mean return of each on each task: random actions, driving straight at the goal as its lidar shows it, parking
on the nearest immovable treasure, of which it is told where it is.
"""

import sys
from collections.abc import Callable
from math import atan2, copysign, cos, hypot, pi, sin
from typing import NamedTuple

import gymnasium
import numpy as np
from numpy.typing import NDArray

from pacer.envs.navigation.course import IMMOVABLE
from pacer.envs.navigation.env import FIRST_LIDAR, CarNavigation
from pacer.envs.navigation.model import pose
from pacer.envs.navigation.tasks import TASKS
from pacer.envs.registration import register_environments

# The motors saturate at this control; anything larger drives just as hard.
FULL_FORCE = 0.02
TURN_ONLY = 0.5
STEERING = 2.0
CLOSE = 0.08  # metres: near enough to a treasure to stand still

Action = NDArray[np.float32]
Controller = Callable[[CarNavigation, NDArray[np.float64]], Action]


def drive_to_goal(observation: NDArray[np.float64], bins: int = 16) -> Action:
    """The action that turns the nearer end of the car to the goal and drives; hazards and treasures are ignored."""
    goal = observation[FIRST_LIDAR : FIRST_LIDAR + bins]
    angles = (np.arange(bins) + 0.5) * (2.0 * pi / bins)
    return _steer(float(goal @ np.cos(angles)), float(goal @ np.sin(angles)))


def park(env: CarNavigation) -> Action:
    """The action that drives to the nearest immovable treasure and stays there."""
    x, y, heading = pose(env.data)
    places = [place for place, kind in zip(env.course.positions, env.course.kinds, strict=True) if kind == IMMOVABLE]
    distance, angle = min((hypot(to_x - x, to_y - y), atan2(to_y - y, to_x - x)) for to_x, to_y in places)
    if distance < CLOSE:
        return np.zeros(2, np.float32)
    return _steer(cos(angle - heading), sin(angle - heading))


def _steer(right: float, back: float) -> Action:
    """The action toward a point in the car's own frame, by whichever end is nearer."""
    # Forward is -y in the car's frame, and the left wheel at more force than the right turns it to the left.
    ahead, left = -back, right
    forward = 1.0 if ahead >= 0.0 else -1.0
    error = atan2(forward * left, abs(ahead))
    if abs(error) > TURN_ONLY:
        spin = copysign(FULL_FORCE, error)
        return np.array([spin, -spin], dtype=np.float32)
    turn = STEERING * error
    return np.array([forward + turn, forward - turn], dtype=np.float32) * np.float32(FULL_FORCE)


def controllers(rng: np.random.Generator) -> dict[str, Controller]:
    """All of them, by name."""
    return {
        "random": lambda env, observation: rng.uniform(-1.0, 1.0, 2).astype(np.float32),
        "goals": lambda env, observation: drive_to_goal(observation),
        "parking": lambda env, observation: park(env),
    }


class Score(NamedTuple):
    """Returns and numbers of goals, one per episode."""

    returns: list[float]
    goals: list[int]


def score(id: str, name: str, episodes: int) -> Score:
    """Play full episodes with seeds 0, 1, ... under a controller."""
    register_environments()
    env = gymnasium.make(id)
    car = env.unwrapped
    assert isinstance(car, CarNavigation)
    result = Score([], [])
    for episode in range(episodes):
        controller = controllers(np.random.default_rng(episode))[name]
        observation, _ = env.reset(seed=episode)
        total, goals, over = 0.0, 0, False
        while not over:
            observation, reward, _, over, info = env.step(controller(car, observation))
            total += float(reward)
            goals += info["goal_met"]
        result.returns.append(total)
        result.goals.append(goals)
    env.close()
    return result


def main() -> None:
    """Print one row per task and controller."""
    episodes = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{'environment':28}{'controller':12}{'return':>9}{'deviation':>11}{'goals':>8}   ({episodes} episodes)")
    for task in TASKS:
        for name in controllers(np.random.default_rng()):
            returns, goals = score(f"pacer/{task}-v0", name, episodes)
            means = f"{np.mean(returns):9.1f}{np.std(returns):11.1f}{np.mean(goals):8.1f}"
            print(f"{f'pacer/{task}-v0':28}{name:12}{means}")


if __name__ == "__main__":
    main()
