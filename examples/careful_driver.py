"""A controller that knows risk: the faster a driver goes the more it earns, and above a speed of 1 it may crash."""

import os
from typing import Any, ClassVar

import gymnasium
import numpy as np

import pacer


class Road(gymnasium.Env[Any, Any]):
    """Pays the speed, from 0 to 2; a crash costs 40, and its chance grows from 0 at speed 1 to 0.0175 at speed 2."""

    observation_space = gymnasium.spaces.Box(0.0, 2.0, (1,), np.float32)
    action_space = gymnasium.spaces.Box(-0.1, 0.1, (1,), np.float32)  # change of speed
    EPISODE_MEANS: ClassVar = {"speed": "speed"}  # a column of evaluations.csv, made of `info`
    EPISODE_SUMS: ClassVar = {"crashes": "crash"}

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.speed = np.zeros(1, np.float32)
        return self.speed, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        (speed,) = self.speed = np.clip(self.speed + action, 0.0, 2.0, dtype=np.float32)
        crash = self.np_random.random() < 0.0175 * (speed - 1)
        return self.speed, float(speed - 40 * crash), False, False, {"speed": speed, "crash": crash}


gymnasium.register("Road-v0", f"{__name__}:Road", max_episode_steps=200)
SMALL = {"recipe.actor.body.hidden": (64, 64), "recipe.critic.body.hidden": (64, 64), "recipe.batch": 64}

if __name__ == "__main__":
    for risk in ("neutral", "cvar:0.1"):  # the mean of returns, and the mean of their worst tenth
        run_dir, steps = f"runs/careful-driver/{risk.replace(':', '-')}", int(os.environ.get("STEPS", 30_000))
        pacer.train("Road-v0", steps=steps, risk=risk, run_dir=run_dir, overrides=SMALL)
        played = [episode.measures for episode in pacer.evaluate(run_dir).episodes if episode.mode == "sampled"]
        print(risk, {name: round(float(np.mean([told[name] for told in played])), 2) for name in ("speed", "crashes")})
