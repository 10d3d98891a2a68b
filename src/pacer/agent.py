"""A trained agent: acts, tells the returns it expects, and lives in a folder of two files."""

import functools
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacer.envs.bounds import from_box, to_box
from pacer.errors import PacerError, shown
from pacer.pieces.actors.base import Actor
from pacer.pieces.critics.levels import midpoints
from pacer.pieces.recipe import Recipe
from pacer.pieces.scaling import Scaling
from pacer.pieces.sizes import LARGEST
from pacer.pieces.trees import from_arrays, kinds, to_arrays
from pacer.pieces.types import Array, Network, Networks, Returns, Space
from pacer.runs.arrays import load_arrays, save_arrays
from pacer.runs.codec import decode, encode
from pacer.runs.files import load_json, save_json, writing
from pacer.runs.formats import missing_arrays

Floats = NDArray[np.float32]
DESCRIPTION, ARRAYS = "agent.json", "agent.safetensors"


class Policy(NamedTuple):
    """Observation in, action in [-1, 1]^A out, in NumPy: faster than a compiled call, and what is exported."""

    actor: Actor
    space: Space
    network: Network
    scaling: Scaling

    def sampled(self, obs: Array, rng: np.random.Generator) -> Floats:
        """Observations may have leading axes."""
        return np.asarray(self.push(obs, self.actor.noise(rng, self.space, obs.shape[:-1])))

    def push(self, obs: Array, noise: Array, xp: Any = np) -> Array:
        """The actions (..., A) that noise (..., E) becomes; with `jax.numpy` it can be traced, as exporting does."""
        return self.actor.push(self.network, self.scaling.normalise(obs, xp), noise, xp)

    def greedy(self, obs: Array, xp: Any = np) -> Array:
        """The one action (..., A) that stands for the policy; traced like `push`."""
        return xp.asarray(self.actor.greedy(self.network, self.scaling.normalise(obs, xp), self.space, xp))


class Agent:
    """Networks, observation statistics and action bounds: all that acting and judging an action need."""

    def __init__(self, recipe: Recipe, networks: Networks, scaling: Scaling, low: Floats, high: Floats) -> None:
        self.recipe = recipe
        self.networks = networks
        self.scaling = scaling
        self.low, self.high = low, high
        self.space = Space(len(scaling.mean), len(low))
        self.policy = Policy(recipe.actor, self.space, networks.actor, scaling)
        self._rng = np.random.default_rng()

    def seed(self, seed: int) -> None:
        """Make the sampled actions repeatable."""
        self._rng = np.random.default_rng(seed)

    def predict(
        self, observation: ArrayLike, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Array, Any]:
        """Action in the environment's own bounds, for one observation or a batch; Stable-Baselines3's signature."""
        obs = self._check(observation)
        action = self.policy.greedy(obs) if deterministic else self.policy.sampled(obs, self._rng)
        if not np.isfinite(action).all():
            raise PacerError("the agent's action is not finite: its weights are damaged, or learning had diverged")
        return to_box(np.asarray(action), self.low, self.high), state

    def sample_actions(self, observation: ArrayLike, count: int) -> Array:
        """`count` actions of the policy in the environment's own bounds: (count, action size), or for a batch of
        observations (count, batch, action size)."""
        obs = self._check(observation)
        if not isinstance(count, int | np.integer) or count < 1:
            raise PacerError(f"count is {count!r}: expected a whole number from 1")
        many = np.broadcast_to(obs, (int(count), *obs.shape))
        return to_box(self.policy.sampled(many, self._rng), self.low, self.high)

    def summary(self) -> str:
        """What the agent is, in a few lines."""
        sizes = {part: _parameters(getattr(self.networks, part)) for part in ("actor", "critic")}
        return "\n".join(
            [
                spaces(self.space, self.low, self.high),
                *(f"{part}: {getattr(self.recipe, part)}, {size:,} parameters" for part, size in sizes.items()),
                *(f"{part}: {getattr(self.recipe, part)}" for part in ("encourager", "weight", "risk", "utility")),
            ]
        )

    def __repr__(self) -> str:
        pieces = ", ".join(type(piece).__name__ for piece in (self.recipe.actor, self.recipe.critic, self.recipe.risk))
        return f"Agent({pieces}; {self.space.observation} observations, {self.space.action} actions)"

    def returns(self, observation: ArrayLike, action: ArrayLike, seed: int = 0) -> Returns:
        """Distribution of the return that the critic expects, pessimistic over its members: atoms, lowest first.

        Where a recipe pays for diversity in the return (`backup.penalty_in_return`), that is in it.
        """
        obs = self.scaling.normalise(np.atleast_2d(self._check(observation)), np)
        inner = np.atleast_2d(from_box(_vectors(action, self.space.action, "action"), self.low, self.high))
        if len(obs) != len(inner) and 1 not in (len(obs), len(inner)):
            raise PacerError(f"{len(obs)} observations and {len(inner)} actions: expected as many, or one of either")
        inner = np.broadcast_to(inner, (max(len(obs), len(inner)), inner.shape[-1]))
        returns = self.recipe.critic.returns(self.networks.critic, obs, inner, jax.random.key(seed))
        value, _, mass = (np.asarray(part) for part in self.recipe.target_pessimism.combine(returns, self.recipe.risk))
        value = value * self.scaling.unit
        order = value.argsort(-1)  # learned quantiles may cross
        mass = np.take_along_axis(np.broadcast_to(mass, value.shape), order, -1)
        return Returns(np.take_along_axis(value, order, -1), np.asarray(midpoints(mass)), mass)

    def check_fits(self, name: str, space: Space, low: Floats, high: Floats) -> None:
        """Refuse an environment that is not like the one this agent knows, in which its actions would be others."""
        there, here = spaces(space, low, high), spaces(self.space, self.low, self.high)
        if there != here:
            raise PacerError(
                f"{name} has {there}, and the agent was trained on {here}. "
                "Where bounds alone differ, gymnasium.wrappers.RescaleAction gives an environment those of the agent"
            )

    def digest(self) -> str:
        """Characters that tell this agent from any other."""
        content = hashlib.sha256(repr(self.recipe).encode())
        for name, array in to_arrays((self.networks, self.scaling)).items():
            content.update(name.encode() + array.tobytes())
        return content.hexdigest()[:16]

    def save(self, folder: str | Path) -> None:
        """Each file is replaced at once; in a run the second never changes, so that they always fit together."""
        folder = Path(folder)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        arrays = {"networks": self.networks, "scaling": self.scaling, "low": self.low, "high": self.high}
        save_arrays(folder / ARRAYS, to_arrays(arrays))
        save_json(folder / DESCRIPTION, {"recipe": encode(self.recipe), "space": list(self.space)})

    @staticmethod
    def load(folder: str | Path) -> "Agent":
        """The agent that `save` left in `folder`. Files may be a stranger's: refused before they cost anything."""
        description, file = Path(folder) / DESCRIPTION, Path(folder) / ARRAYS
        content = load_json(description)
        if odd := sorted(content.keys() ^ {"format", "recipe", "space"}):
            raise PacerError(f"{description} does not hold what an agent's does (differing: {', '.join(odd[:4])})")
        recipe = decode(content["recipe"], Recipe, "recipe")
        space = Space(*decode(content["space"], tuple[int, int], "space"))
        try:
            template = _template(recipe, space)
        except Exception as error:  # sizes that pass as numbers and still make no network
            raise PacerError(f"{description} describes no agent: {shown(error)}") from error
        wanted = kinds(template)
        added = {name: fill for name, fill in missing_arrays(content["format"]).items() if name in wanted}
        arrays = load_arrays(file, {name: kind for name, kind in wanted.items() if name not in added})
        arrays |= {name: np.full(wanted[name][0], fill, wanted[name][1]) for name, fill in added.items()}
        if not all(np.isfinite(array).all() for array in arrays.values()):
            raise PacerError(f"{file} holds numbers that are not finite")
        tree = from_arrays(arrays, template)
        if not (tree["low"] < tree["high"]).all():
            raise PacerError(f"{file} holds bounds of actions that are none: expected low < high")
        agent = Agent(recipe, tree["networks"], tree["scaling"], tree["low"], tree["high"])
        with np.errstate(over="ignore", invalid="ignore"):
            agent.predict(np.zeros(space.observation), deterministic=True)
        return agent

    def _check(self, observation: ArrayLike) -> Array:
        return _vectors(observation, self.space.observation, "observation")


def _vectors(given: ArrayLike, size: int, what: str) -> Array:
    """One vector, or a batch, as an array; refused where it is none."""
    try:
        vectors = np.asarray(given, np.float32)
    except (TypeError, ValueError) as error:
        raise PacerError(
            f"{what} that is no array ({shown(error)}): expected {size} numbers, or rows of them"
        ) from error
    if vectors.ndim not in (1, 2) or vectors.shape[-1] != size:
        raise PacerError(f"{what} of shape {vectors.shape}: expected ({size},) or (batch, {size})")
    if not np.isfinite(vectors).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(vectors))[0])
        raise PacerError(f"{what} with {vectors[index]} at index {index}: expected finite numbers")
    return vectors


def spaces(space: Space, low: Floats, high: Floats) -> str:
    """What an environment takes and gives, in words."""
    return f"{space.observation} observations, {space.action} actions from {_list(low)} to {_list(high)}"


def _parameters(network: Network) -> int:
    return sum(np.size(leaf) for leaf in jax.tree.leaves(network.params))


def _list(bound: Floats) -> str:
    """One number where all are the same."""
    return f"{bound[0]:g}" if (bound == bound[0]).all() else f"{bound.tolist()}"


@functools.lru_cache(maxsize=32)
def _template(recipe: Recipe, space: Space) -> Any:
    """Shapes and types of the arrays of an agent; nothing is computed."""
    if not (0 < space.observation <= LARGEST and 0 < space.action <= LARGEST):
        raise ValueError(f"space is {tuple(space)}: expected sizes of 1 to {LARGEST}")

    def build() -> Any:
        key = jax.random.key(0)
        networks = Networks(recipe.actor.init(key, space), recipe.critic.init(key, space))
        vector = jax.numpy.zeros(space.observation)
        bound = jax.numpy.zeros(space.action)
        return {
            "networks": networks,
            "scaling": Scaling(vector, vector, jax.numpy.zeros(()), jax.numpy.zeros(())),
            "low": bound,
            "high": bound,
        }

    return jax.eval_shape(build)
