"""An environment of your own. Importing this registers it: `pacer train --env own_environment:Chase-v0` works, too."""

import os
from typing import Any

import gymnasium
import numpy as np

import pacer


class Chase(gymnasium.Env[Any, Any]):
    """A point on a line that should stay with a target, which travels."""

    observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float32)  # point, target, the target's speed
    action_space = gymnasium.spaces.Box(-0.2, 0.2, (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1, 1, 3).astype(np.float32)
        return self.state, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.state = self.state + np.array([action[0], 0.05 * self.state[2], 0.0], np.float32)
        return self.state, -float(abs(self.state[0] - self.state[1])), False, False, {}


gymnasium.register("Chase-v0", f"{__name__}:Chase", max_episode_steps=50)

if __name__ == "__main__":
    pacer.train("Chase-v0", "sac", int(os.environ.get("STEPS", 5_000)), run_dir="runs/own-environment")

    agent, env = pacer.load("runs/own-environment"), gymnasium.make("Chase-v0")
    obs, total, over = env.reset(seed=0)[0], 0.0, False
    while not over:
        obs, reward, terminated, truncated, _ = env.step(agent.predict(obs, deterministic=True)[0])
        total, over = total + float(reward), terminated or truncated
    print(f"an episode with a return of {total:.1f}")
