"""How wide a policy is where it plays: the deviation of each of its actions in the states of an episode.

python results/widths.py RUN...
"""

import sys
from pathlib import Path

import gymnasium
import numpy as np

import pacer

STEPS, FIRST, EVERY, SAMPLES = 300, 50, 5, 256


def main() -> None:
    for run in map(Path, sys.argv[1:]):
        agent, env = pacer.load(run / "agent"), gymnasium.make(pacer.Run(run).config.environment)
        obs, _ = env.reset(seed=1)
        actions = []
        for step in range(STEPS):
            if step >= FIRST and step % EVERY == 0:
                actions.append(agent.sample_actions(obs, SAMPLES))
            obs, _, terminated, truncated, _ = env.step(agent.predict(obs)[0])
            if terminated or truncated:
                obs, _ = env.reset()
        width = 2 * np.std(actions, axis=1) / (agent.high - agent.low)
        at_bounds = np.mean((np.stack(actions) < agent.low + 0.05) | (np.stack(actions) > agent.high - 0.05))
        print(run, width.mean(0).round(3), f"geometric {np.exp(np.log(width + 1e-6).mean()):.4f}, {at_bounds:.0%}")


if __name__ == "__main__":
    main()
