"""Which single action should stand for a policy: zero noise, the sample nearest to all others, that with the most
neighbours, or the critic's choice of 16.

python results/greedy.py RUN...     plays the agents of finished runs by each rule and adds rows to tables/greedy.csv
"""

import csv
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pacer.runtime import use_one_thread

use_one_thread()

import gymnasium  # noqa: E402
import jax  # noqa: E402
import numpy as np  # noqa: E402

import pacer  # noqa: E402
from pacer.agent import Agent  # noqa: E402
from pacer.envs.bounds import to_box  # noqa: E402

TABLE = Path(__file__).parent / "tables" / "greedy.csv"
EPISODES, CANDIDATES = 5, 16
Rule = Callable[[np.ndarray], np.ndarray]


def rules(agent: Agent) -> dict[str, Rule]:
    recipe, networks = agent.recipe, agent.networks
    rng = np.random.default_rng(0)

    @jax.jit
    def rated(obs: np.ndarray, actions: np.ndarray) -> np.ndarray:
        returns = recipe.critic.returns(networks.critic, obs, actions, jax.random.key(0))
        return recipe.risk.value(recipe.actor_pessimism.combine(returns, recipe.risk))

    def best(obs: np.ndarray) -> np.ndarray:
        many = np.broadcast_to(obs, (CANDIDATES, *obs.shape))
        actions = agent.policy.sampled(many, rng)
        return actions[int(np.argmax(rated(agent.scaling.normalise(many, np), actions)))]

    def plain(rule: str) -> Rule:
        actor = replace(recipe.actor, greedy_rule=rule)
        return lambda obs: actor.greedy(networks.actor, agent.scaling.normalise(obs, np), agent.space, np)

    found = {rule: plain(rule) for rule in ("zero", "medoid", "densest")}
    return {**found, f"best of {CANDIDATES}": best, "sampled": lambda obs: agent.policy.sampled(obs, rng)}


def played(agent: Agent, environment: str, rule: Rule) -> list[float]:
    env, found = gymnasium.make(environment), []
    for episode in range(EPISODES):
        obs, _ = env.reset(seed=10_000 + episode)
        total, over = 0.0, False
        while not over:
            action = to_box(np.asarray(rule(np.asarray(obs, np.float32))), agent.low, agent.high)
            obs, reward, terminated, truncated, _ = env.step(action)
            total, over = total + float(reward), terminated or truncated
        found.append(total)
    return found


def main() -> None:
    new = not TABLE.exists()
    with TABLE.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(("environment", "recipe", "seed", "step", "rule", "episodes", "mean_return"))
        for path in sys.argv[1:]:
            run = pacer.Run(path)
            config, agent = run.config, run.agent()
            for name, rule in rules(agent).items():
                row = (config.environment, config.label, config.seed, run.step, name, EPISODES)
                writer.writerow((*row, round(float(np.mean(played(agent, config.environment, rule))), 1)))
                file.flush()


if __name__ == "__main__":
    main()
