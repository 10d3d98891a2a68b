"""A trained agent: acts, tells the returns it expects, and lives in a folder of two files."""

from pathlib import Path
from typing import Any

import jax
import numpy as np

from pacer.errors import PacerError
from pacer.pieces.critics.levels import midpoints
from pacer.pieces.recipe import Recipe
from pacer.pieces.scaling import Scaling
from pacer.pieces.trees import from_arrays, to_arrays
from pacer.pieces.types import Array, Networks, Returns, Space
from pacer.runs.arrays import load_arrays, save_arrays
from pacer.runs.codec import decode, encode
from pacer.runs.files import load_json, save_json
from pacer.training.policy import Policy
from pacer.training.world import to_box


class Agent:
    """Networks, observation statistics and action bounds: all that acting and judging an action need."""

    def __init__(self, recipe: Recipe, networks: Networks, scaling: Scaling, low: Array, high: Array) -> None:
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
        self, observation: Array, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Array, Any]:
        """Action in the environment's own bounds, for one observation or a batch; Stable-Baselines3's signature."""
        obs = self._check(observation)
        action = self.policy.greedy(obs) if deterministic else self.policy.sampled(obs, self._rng)
        return to_box(action, self.low, self.high), state

    def returns(self, observation: Array, action: Array, key: int = 0) -> Returns:
        """Distribution of the return that the critic expects, pessimistic over its members: atoms, lowest first."""
        obs = np.atleast_2d(self._check(observation))
        action = np.atleast_2d(np.asarray(action, np.float32))
        inner = np.clip(2 * (action - self.low) / (self.high - self.low) - 1, -1, 1)
        critic = self.recipe.critic
        returns = critic.returns(self.networks.critic, self.scaling.normalise(obs, np), inner, jax.random.key(key))
        value, _, mass = (np.asarray(part) for part in critic.lower(returns))
        order = value.argsort(-1)  # learned quantiles may cross
        mass = np.take_along_axis(np.broadcast_to(mass, value.shape), order, -1)
        return Returns(np.take_along_axis(value, order, -1), np.asarray(midpoints(mass)), mass)

    def save(self, folder: Path) -> None:
        """Each file is replaced at once; in a run the second never changes, so that they always fit together."""
        folder.mkdir(parents=True, exist_ok=True)
        save_arrays(folder / "policy.safetensors", to_arrays(self._arrays()))
        save_json(folder / "policy.json", {"recipe": encode(self.recipe), "space": list(self.space)})

    @staticmethod
    def load(folder: Path) -> "Agent":
        content = load_json(folder / "policy.json")
        recipe = decode(content.get("recipe"), Recipe, "recipe")
        space = Space(*decode(content.get("space"), tuple[int, int], "space"))
        try:
            template = _template(recipe, space)
        except Exception as error:  # sizes that pass as numbers and still make no network
            raise PacerError(f"{folder / 'policy.json'} describes no policy: {error!r}") from error
        arrays = from_arrays(load_arrays(folder / "policy.safetensors"), template, folder / "policy.safetensors")
        if not all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(arrays)):
            raise PacerError(f"{folder / 'policy.safetensors'} holds numbers that are not finite")
        return Agent(recipe, arrays["networks"], arrays["scaling"], arrays["low"], arrays["high"])

    def _arrays(self) -> dict[str, Any]:
        return {"networks": self.networks, "scaling": self.scaling, "low": self.low, "high": self.high}

    def _check(self, observation: Array) -> Array:
        obs = np.asarray(observation, np.float32)
        if obs.ndim not in (1, 2) or obs.shape[-1] != self.space.observation:
            raise PacerError(
                f"observation of shape {obs.shape}: expected ({self.space.observation},) or (batch, "
                f"{self.space.observation})"
            )
        if not np.isfinite(obs).all():
            index = tuple(int(i) for i in np.argwhere(~np.isfinite(obs))[0])
            raise PacerError(f"observation with {obs[index]} at index {index}: expected finite numbers")
        return obs


def _template(recipe: Recipe, space: Space) -> Any:
    def build() -> Any:
        key = jax.random.key(0)
        networks = Networks(recipe.actor.init(key, space), recipe.critic.init(key, space))
        vector = jax.numpy.zeros(space.observation)
        bound = jax.numpy.zeros(space.action)
        return {"networks": networks, "scaling": Scaling(vector, vector), "low": bound, "high": bound}

    return jax.eval_shape(build)
