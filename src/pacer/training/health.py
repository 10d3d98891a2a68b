"""Signs that learning has gone wrong, looked for at every evaluation and said once each.

Each sign is a function of plain arrays; the numbers are chosen so that a healthy run of any recipe shows none.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import jax
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacer.agent import Agent, Policy
from pacer.config import Config
from pacer.observers.events import Episode, Evaluated
from pacer.pieces.critics.categorical import Categorical
from pacer.pieces.recipe import Recipe
from pacer.pieces.types import Array, Network, Returns, Transition
from pacer.pieces.utilities import Identity
from pacer.training.world import ADVICE, World

STATES, SAMPLES = 64, 16  # how many of the visited states are looked at, and actions in each
Floats = NDArray[np.float32]


def saturated(actions: ArrayLike) -> bool:
    """Whether nearly all actions, in [-1, 1], lie on their bounds."""
    return bool(np.mean(np.abs(actions) > 0.99) > 0.95)


def collapsed(actions: ArrayLike) -> list[int]:
    """Dimensions in which samples (samples, states, A) of a policy that can sample are all but the same."""
    return [int(d) for d in np.flatnonzero(np.asarray(actions).std(0).mean(0) < 1e-3)]


def crossing(values: ArrayLike) -> bool:
    """Whether quantiles, lowest level first on the last axis, often come in another order, and by far."""
    values = np.asarray(values)
    spread = values.max(-1, keepdims=True) - values.min(-1, keepdims=True)
    return bool(np.mean(np.diff(values, axis=-1) < -0.02 * spread - 1e-6) > 0.2)


def far(predicted: ArrayLike, played: ArrayLike, allowance: float) -> bool:
    """Whether the returns that are predicted at the starts of episodes have little to do with those that came."""
    predicted, played = np.asarray(predicted), np.asarray(played)
    usual = max(float(np.abs(played).mean()), float(played.std()), 1.0)
    return bool(abs(predicted.mean() - played.mean()) > 5 * usual + allowance)


def diverging(predicted: ArrayLike, rewards: ArrayLike, discount: float, allowance: float) -> bool:
    """Whether returns are predicted that no rewards like these could add up to."""
    most = float(np.abs(rewards).max()) / (1 - discount)
    return bool(np.abs(predicted).mean() > 3 * most + allowance + 1.0)


class Health:
    """Looks at a run, and says each sign once."""

    def __init__(self, config: Config, world: World, warn: Callable[[str], None]) -> None:
        self._config, self._world, self._warn = config, world, warn
        self._metrics: Mapping[str, float] = {}
        self._said: set[str] = set()

    def hear(self, length: int, metrics: Mapping[str, float]) -> None:
        """After every block: how long the longest episode is by now, and what learning reported."""
        # What a block does not know, in which the actor rested, is as it was.
        self._metrics = {**self._metrics, **{name: told for name, told in metrics.items() if not np.isnan(told)}}
        if length >= self._world.longest:
            advice = "They judge no more than that" if self._world.limited else f"It sets no time limit: {ADVICE}"
            self._say(
                "endless",
                f"an episode of {self._config.environment} has gone on for {length:,} steps: evaluations are cut "
                f"there. {advice}",
            )

    def examine(self, agent: Agent, seen: Sequence[Floats], told: Evaluated, batch: Transition) -> None:
        """After an evaluation, of which `seen` are the observations in their order."""
        if not self._metrics:
            return  # the run has just gone on, and what its encourager takes off the return is not known yet
        encourager = agent.recipe.encourager
        penalty = self._metrics.get("weight", 0.0) * self._metrics.get(encourager.measures, 0.0)
        for name, message in signs(agent, seen, told.episodes, batch, penalty):
            self._say(name, f"after {told.step:,} steps {message}")

    def _say(self, name: str, message: str) -> None:
        if name not in self._said:
            self._said.add(name)
            self._warn(message)


class Witness(NamedTuple):
    """A policy that remembers what it saw."""

    policy: Policy
    seen: list[Floats]

    def greedy(self, obs: Array) -> Array:
        self.seen.append(np.asarray(obs))
        return self.policy.greedy(obs)

    def sampled(self, obs: Array, rng: np.random.Generator) -> Floats:
        self.seen.append(np.asarray(obs))
        return self.policy.sampled(obs, rng)


def signs(
    agent: Agent, seen: Sequence[Floats], episodes: Sequence[Episode], batch: Transition, penalty: float
) -> Iterator[tuple[str, str]]:
    """The signs there are, each by its name and in a sentence.

    `seen` are the observations of the episodes in their order, `batch` is experience, and `penalty` what the encourager
    takes off the reward of a step.
    """
    recipe, rng = agent.recipe, np.random.default_rng(0)
    states = np.stack([seen[i] for i in rng.choice(len(seen), STATES)])
    actions = agent.policy.sampled(np.broadcast_to(states, (SAMPLES, *states.shape)), rng)
    if saturated(actions):
        yield (
            "saturated",
            "nearly all actions lie on their bounds: the actor may be stuck there. Consider more encouragement, or a "
            "smaller learning rate of the actor",
        )
    elif recipe.actor.has_noise and (still := collapsed(actions)):
        number = actions.shape[-1]
        which = "" if len(still) == number else f" in {', '.join(map(str, still))} of its {number} actions (from 0)"
        yield (
            "collapsed",
            f"the policy has collapsed to a point{which}: its samples are all but the same there, and it no longer "
            "explores. Consider more encouragement, or an encourager that no dimension escapes (Volume)",
        )
    played = [
        (start, e.discounted) for start, e in zip(_starts(episodes), episodes, strict=True) if e.mode == "sampled"
    ]
    starts = np.stack([seen[start] for start, _ in played])
    obs = np.concatenate([states, starts])
    returns = _returns(
        recipe,
        agent.networks.critic,
        agent.scaling.normalise(obs, np),
        np.concatenate([actions[0], agent.policy.sampled(starts, rng)]),
    )
    unit = float(agent.scaling.unit)
    returns = returns._replace(value=returns.value * unit)
    beside = recipe.backup.beside_rewards(penalty, agent.space)
    allowance = 3 * abs(beside) * unit / (1 - recipe.discount)
    yield from _of_critic(recipe, returns, np.array([discounted for _, discounted in played]), batch, allowance)


def _of_critic(
    recipe: Recipe, returns: Returns, played: NDArray[np.float64], batch: Transition, allowance: float
) -> Iterator[tuple[str, str]]:
    """The last of the returns are those at the starts of the episodes that were played.

    By the `allowance` they may be off for what they count beside rewards.
    """
    rewards = recipe.reward_scale * np.asarray(recipe.utility.shape(batch))
    if diverging(returns.value, rewards, recipe.discount, allowance):
        yield (
            "diverging",
            f"the critic is diverging: it predicts returns around {np.mean(returns.value):,.4g}, and rewards of "
            f"{np.abs(rewards).max():,.4g} at most cannot add up to that. Consider a smaller learning rate of the "
            "critic",
        )
        return  # the rest would say the same
    if recipe.critic.distributional and not isinstance(recipe.critic, Categorical) and crossing(returns.value):
        yield (
            "crossing",
            "the critic's quantiles cross: many are in the wrong order, so that risk measures and `agent.returns` are "
            "not to be trusted yet",
        )
    predicted = np.asarray(returns.mean())[..., -len(played) :] / recipe.reward_scale
    if isinstance(recipe.utility, Identity) and far(predicted, played, allowance / recipe.reward_scale):
        yield (
            "far",
            f"the critic predicts a return of {predicted.mean():,.4g} where episodes gave {played.mean():,.4g}, both "
            "discounted: it is far off",
        )


def _starts(episodes: Sequence[Episode]) -> list[int]:
    """Where each episode begins among the observations of all."""
    return [int(at) for at in np.cumsum([0, *(e.length for e in episodes)])[:-1]]


@partial(jax.jit, static_argnames="recipe")
def _returns(recipe: Recipe, critic: Network, obs: Array, action: Array) -> Returns:
    """What each member of the critic predicts, members first."""
    return recipe.critic.returns(critic, obs, action, jax.random.key(0))
