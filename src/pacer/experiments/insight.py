"""A look inside a run: how its agents spread their actions, and the returns they foretell against those they get."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pacer.agent import Agent, Floats, Policy
from pacer.envs.bounds import to_box
from pacer.errors import PacerError
from pacer.pieces.backups import SoftMaximum
from pacer.pieces.recipe import Recipe
from pacer.pieces.types import Transition
from pacer.runs.arrays import Arrays, save_arrays
from pacer.runs.reader import Run
from pacer.training import seeds
from pacer.training.evaluate import play_once
from pacer.training.play import Step
from pacer.training.world import Vector, World

BINS = 50  # along each side of a heat map
CHUNK = 10_000  # actions that are made at once
EPISODE, SAMPLES, START, FIRST_ACTION, ACTIONS, CHANCES = range(6)  # what randomness is for


def examine(
    folder: str | Path,
    states: int = 3,
    samples: int = 100_000,
    episodes: int = 30,
    seed: int = 0,
    env: str | Callable[..., Any] | None = None,
) -> Path:
    """Write insight/heatmaps.safetensors and insight/returns.safetensors into a run's folder, and return where.

    `samples` actions in each of `states` states by every agent that was kept of the run's phases; and for as many
    starts, the learned return of the last one's action beside the returns of `episodes` episodes that begin with it.
    """
    if min(states, samples, episodes) < 1:
        raise PacerError(f"{states} states, {samples} samples, {episodes} episodes: expected at least 1 of each")
    run = Run(folder)
    agents = {step: run.agent(step) for step in run.snapshots()}
    if not agents:
        raise PacerError(f"{run.path} has no snapshots yet: the first is kept after a tenth of the run")
    final = agents[max(agents)]
    world = run.world(env)
    try:
        if world.space != final.space:
            raise PacerError(f"{world.name} has {world.space}, and the agent was trained on {final.space}")
        visited = visit(world, final.policy, states, seed)
        found = {"heatmaps": heatmaps(agents, visited, samples, seed)}
        found["returns"] = returns(world, final, states, episodes, seed)
    finally:
        world.close()
    (run.path / "insight").mkdir(exist_ok=True)
    for name, arrays in found.items():
        save_arrays(run.path / "insight" / f"{name}.safetensors", arrays)
    return run.path / "insight"


def visit(world: World, policy: Policy, states: int, seed: int) -> Floats:
    """Observations (S, D) from the middle of each of `states` equal parts of an episode."""
    rng = seeds.generator(seed, seeds.EXAMINATION, EPISODE)
    start = seeds.integer(seed, seeds.EXAMINATION, EPISODE)
    steps = list(play_once(world, start, "the episode that states are taken of", lambda o: policy.sampled(o, rng)))
    return np.stack([steps[(2 * k + 1) * len(steps) // (2 * states)].obs for k in range(states)])


def heatmaps(agents: Mapping[int, Agent], states: Floats, samples: int, seed: int) -> Arrays:
    """Counts of sampled actions by phase and state, in the two dimensions that the last agent spreads most."""
    actions = [[sample(agent.policy, obs, samples, seed) for obs in states] for agent in agents.values()]
    deviation = np.array([[a.std(0, dtype=np.float64) for a in phase] for phase in actions])
    widest = np.sort(deviation[-1].mean(0).argsort(kind="stable")[-2:])
    first, second = widest[0], widest[-1]  # which are the same where there is one
    edges = np.linspace(-1, 1, BINS + 1)
    counts = [[np.histogram2d(a[:, first], a[:, second], edges)[0] for a in phase] for phase in actions]
    return {
        "states": states,
        "phases": np.array(list(agents), np.int64),
        "dimensions": np.array([first, second], np.int64),
        "counts": np.array(counts, np.int32),
        "spread": deviation.mean(-1).astype(np.float32),
    }


def sample(policy: Policy, obs: Vector, samples: int, seed: int) -> Floats:
    """Actions (N, A) in one state; equal seeds push the same noise, so that phases differ by their networks alone."""
    rng = seeds.generator(seed, seeds.EXAMINATION, SAMPLES)
    seen = policy.scaling.normalise(obs, np)[None]
    parts = []
    for done in range(0, samples, CHUNK):
        noise = policy.actor.noise(rng, policy.space, (min(CHUNK, samples - done), 1))
        parts.append(np.asarray(policy.actor.push(policy.network, seen, noise, np))[:, 0])
    return np.concatenate(parts)


def returns(world: World, agent: Agent, starts: int, episodes: int, seed: int) -> Arrays:
    """The critic's atoms at some starts, for an action of the policy, beside the returns that followed it.

    Both in the critic's units. `left` is the discount that was left where time ran out: what of a return is not seen.
    `soft` is 1 where the critic's return counts entropy too, so that it lies elsewhere.
    """
    recipe = agent.recipe
    rows = []
    for start in range(starts):
        played = [begin_alike(world, agent.policy, start, number, seed) for number in range(episodes)]
        obs, action = played[0][0].obs, played[0][0].action
        foretold = agent.returns(obs, to_box(action, agent.low, agent.high))
        met = [discounted(recipe, steps) for steps in played]
        left = [0.0 if steps[-1].terminated else recipe.discount ** len(steps) for steps in played]
        rows.append((obs, action, foretold.value[0], foretold.mass[0], met, left))
    names = ("states", "actions", "value", "mass", "monte_carlo", "left")
    arrays = {n: np.array(part, np.float32) for n, part in zip(names, zip(*rows, strict=True), strict=True)}
    soft = recipe.backup.penalty_in_return or isinstance(recipe.backup, SoftMaximum)
    return {**arrays, "scale": np.array(recipe.reward_scale, np.float32), "soft": np.array(int(soft))}


def begin_alike(world: World, policy: Policy, start: int, number: int, seed: int) -> list[Step]:
    """An episode: of equal `start` they share the first observation and action, and nothing that is drawn later."""
    first = seeds.generator(seed, seeds.EXAMINATION, FIRST_ACTION, start)
    later = seeds.generator(seed, seeds.EXAMINATION, ACTIONS, start, number)
    begun = False

    def choose(obs: Vector) -> Floats:
        nonlocal begun
        if begun:
            return policy.sampled(obs, later)
        begun = True
        world.redraw(seeds.integer(seed, seeds.EXAMINATION, CHANCES, start, number))
        return policy.sampled(obs, first)

    name = f"episode {number} from start {start}"
    return list(play_once(world, seeds.integer(seed, seeds.EXAMINATION, START, start), name, choose))


def discounted(recipe: Recipe, steps: list[Step]) -> float:
    """The return of an episode as the critic learns it: of scaled utilities."""
    gamma = np.array([0.0 if step.terminated else recipe.discount for step in steps], np.float32)
    reward = np.array([step.reward for step in steps], np.float32)
    obs, action, next_obs = (np.stack([getattr(s, n) for s in steps]) for n in ("obs", "action", "next_obs"))
    utility = np.asarray(recipe.utility.shape(Transition(obs, action, reward, next_obs, gamma)), np.float64)
    return float(recipe.reward_scale * utility @ recipe.discount ** np.arange(len(steps)))
