"""How wide a policy is where it plays: the deviation of each of its actions in the states of an episode, how many
dimensions it has there, and how much entropy it lacks because actions follow each other.

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
        dimensions, lost = np.mean([together(a, agent.low, agent.high) for a in actions], axis=0)
        print(run, width.mean(0).round(3), f"geometric {np.exp(np.log(width + 1e-6).mean()):.4f}, {at_bounds:.0%} at")
        print(f"bounds, {dimensions:.2f} of {width.shape[1]} dimensions, {lost:.2f} nats lost")


def together(actions: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
    """Effective dimensions of a state's actions before tanh, and the entropy that normal ones lose by correlation."""
    inner = np.clip(2 * (actions - low) / (high - low) - 1, -1 + 1e-6, 1 - 1e-6)
    inner = inner[:, inner.std(0) > 1e-5]  # an action that does not vary is no dimension
    if inner.shape[1] < 2:
        return float(inner.shape[1]), 0.0
    correlation = np.corrcoef(np.arctanh(inner).T)
    shares = np.linalg.eigvalsh(correlation)
    return shares.sum() ** 2 / (shares**2).sum(), -0.5 * np.log(np.maximum(shares, 1e-9)).sum()


if __name__ == "__main__":
    main()
