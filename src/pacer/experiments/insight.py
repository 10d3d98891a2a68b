"""A look inside a run: how its agents spread their actions, and the returns they foretell against those they get."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pacer.agent import Agent, Floats, Policy
from pacer.envs.bounds import to_box
from pacer.errors import PacerError
from pacer.pieces.backups import SoftMaximum
from pacer.pieces.encouragers.base import Nothing
from pacer.pieces.recipe import Recipe
from pacer.pieces.types import Array, Transition
from pacer.runs.arrays import Arrays, save_arrays
from pacer.runs.files import made
from pacer.runs.reader import Run
from pacer.training import seeds
from pacer.training.evaluate import play_once
from pacer.training.play import Step
from pacer.training.world import Vector, World

BINS = 50  # along each side of a heat map
KEPT = 2_000  # action samples of a state that are kept as they are
CHUNK = 10_000  # actions that are made at once
EPISODE, SAMPLES, FIRST_ACTION, ACTIONS, CHANCES = range(5)  # what randomness is for


class Scene(NamedTuple):
    """A state of an episode, and how it is reached again."""

    number: int
    obs: Vector
    start: int
    """Seed of the episode."""
    before: tuple[Vector, ...]
    """The actions that lead there."""


def examine(
    folder: str | Path,
    states: int = 3,
    samples: int = 100_000,
    episodes: int = 30,
    seed: int = 0,
    env: str | Callable[..., Any] | None = None,
    wrappers: Sequence[str] | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
) -> Path:
    """Write insight/heatmaps.safetensors and insight/returns.safetensors into a run's folder, and return where.

    Both are about `states` states of an episode: `samples` actions by every agent that was kept of the run's phases,
    and by the newest; its learned return of an action beside the returns of `episodes` episodes that go on with it.
    """
    run = Run(folder)
    agents = {step: run.agent(step) for step in run.snapshots() if step in run.config.phases}
    if run.step is not None:
        agents.setdefault(run.step, run.agent())  # of a run that is not finished
    if not agents:
        raise PacerError(f"{run.path} holds no agent yet: the first is kept with the first checkpoint")
    found = look(run.world(env, env_kwargs, wrappers=wrappers), agents, states, samples, episodes, seed)
    written = made(run.path / "insight")
    for name, arrays in found.items():
        save_arrays(written / f"{name}.safetensors", arrays)
    return written


def look(
    world: World, agents: Mapping[int, Agent], states: int, samples: int, episodes: int, seed: int
) -> dict[str, Arrays]:
    """What `examine` writes, by the files' names, of agents by their steps; the world is closed."""
    final = agents[max(agents)]
    try:
        if min(states, samples, episodes) < 1:
            raise PacerError(f"{states} states, {samples} samples, {episodes} episodes: expected at least 1 of each")
        final.check_fits(world.name, world.space, world.low, world.high)
        scenes = visit(world, final.policy, states, seed)
        observations = np.stack([scene.obs for scene in scenes])
        found = {"heatmaps": heatmaps(agents, observations, samples, seed)}
        found["returns"] = returns(world, final, scenes, episodes, seed)
    finally:
        world.close()
    return found


def visit(world: World, policy: Policy, states: int, seed: int) -> list[Scene]:
    """States of an episode in equal distances, from its start; none at its end, where no return is left to compare."""
    rng = seeds.generator(seed, seeds.EXAMINATION, EPISODE)
    start = seeds.integer(seed, seeds.EXAMINATION, EPISODE)
    name = "the episode that states are taken of"
    steps = list(play_once(world, start, name, lambda _, obs: policy.sampled(obs, rng)))
    scenes = []
    for number in range(states):
        at = number * len(steps) // (states + 1)
        scenes.append(Scene(number, steps[at].obs, start, tuple(step.action for step in steps[:at])))
    return scenes


def heatmaps(agents: Mapping[int, Agent], states: Floats, samples: int, seed: int) -> Arrays:
    """Counts of sampled actions by phase and state, in the two dimensions that the last agent spreads most."""
    actions = [[sample(agent.policy, obs, samples, seed) for obs in states] for agent in agents.values()]
    final = list(agents.values())[-1]
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
        "samples": np.stack([a[:KEPT] for a in actions[-1]]),
        "greedy": np.asarray(final.policy.greedy(states)),
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


def returns(world: World, agent: Agent, scenes: Sequence[Scene], episodes: int, seed: int) -> Arrays:
    """The critic's atoms in some states, for an action of the policy, beside the returns that followed it.

    Both of scaled utilities. `left` is the discount that was left where time ran out: what of a return is not seen.
    `soft` is 1 where the critic's return counts diversity too, so that it may lie elsewhere. Where a state cannot be
    reached again, since the environment is not reproducible, no return is known: NaN.
    """
    recipe = agent.recipe
    rows = []
    for scene in scenes:
        action = agent.policy.sampled(scene.obs, _first(scene, seed))
        foretold = agent.returns(scene.obs, to_box(action, agent.low, agent.high))
        played = [go_on(world, agent.policy, scene, number, seed) for number in range(episodes)]
        met = [discounted(recipe, steps) if steps else np.nan for steps in played]
        left = [0.0 if not steps or steps[-1].terminated else recipe.discount ** len(steps) for steps in played]
        rows.append((scene.obs, action, foretold.value[0], foretold.mass[0], met, left))
    names = ("states", "actions", "value", "mass", "monte_carlo", "left")
    arrays = {n: np.array(part, np.float32) for n, part in zip(names, zip(*rows, strict=True), strict=True)}
    return {
        **arrays,
        "scale": np.array(recipe.reward_scale, np.float32),
        "soft": np.array(int(counts_diversity(recipe))),
    }


def counts_diversity(recipe: Recipe) -> bool:
    """Whether the critic's return is not that of rewards alone."""
    encourages = recipe.backup.penalty_in_return and not isinstance(recipe.encourager, Nothing)
    return encourages or isinstance(recipe.backup, SoftMaximum)


def go_on(world: World, policy: Policy, scene: Scene, number: int, seed: int) -> list[Step]:
    """An episode from a scene on: all of a scene share its action, and nothing that is drawn later.

    Empty where the episode does not come to the scene again.
    """
    later = seeds.generator(seed, seeds.EXAMINATION, ACTIONS, scene.number, number)
    taken = 0

    def choose(_: int, obs: Vector) -> Array:
        nonlocal taken
        taken += 1
        if taken <= len(scene.before):
            return scene.before[taken - 1]
        if taken > len(scene.before) + 1:
            return policy.sampled(obs, later)
        world.redraw(seeds.integer(seed, seeds.EXAMINATION, CHANCES, scene.number, number))
        return policy.sampled(obs, _first(scene, seed))

    name = f"episode {number} from state {scene.number}"
    steps = list(play_once(world, scene.start, name, choose))[len(scene.before) :]
    return steps if steps and np.array_equal(steps[0].obs, scene.obs) else []


def _first(scene: Scene, seed: int) -> np.random.Generator:
    return seeds.generator(seed, seeds.EXAMINATION, FIRST_ACTION, scene.number)


def discounted(recipe: Recipe, steps: list[Step]) -> float:
    """The return of an episode as the critic learns it: of scaled utilities."""
    gamma = np.array([0.0 if step.terminated else recipe.discount for step in steps], np.float32)
    reward = np.array([step.reward for step in steps], np.float32)
    obs, action, next_obs = (np.stack([getattr(s, n) for s in steps]) for n in ("obs", "action", "next_obs"))
    utility = np.asarray(recipe.utility.shape(Transition(obs, action, reward, next_obs, gamma)), np.float64)
    return float(recipe.reward_scale * utility @ recipe.discount ** np.arange(len(steps)))
