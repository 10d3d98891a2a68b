"""An environment as the agent sees it: actions in [-1, 1]^A, float32 observations, and everything checked."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pacer.errors import PacerError
from pacer.types import Array, Space

if TYPE_CHECKING:
    import gymnasium

MakeEnvironment = Callable[[], "gymnasium.Env[Any, Any]"]


class World:
    """One environment, refused here if its spaces do not fit, and stopped here if it returns nonsense."""

    def __init__(self, make: MakeEnvironment, name: str) -> None:
        self.name = name
        self.env = make()
        self.low, self.high, self._dtype = check_action_space(self.env.action_space, name)
        size = check_observation_space(self.env.observation_space, name)
        self.space = Space(size, len(self.low))
        self.steps = 0

    def reset(self, seed: int) -> Array:
        try:
            obs, _ = self.env.reset(seed=seed)
        except Exception as error:
            raise PacerError(f"{self.name} failed in reset(seed={seed}): {error!r}") from error
        return self._observation(obs, "reset")

    def step(self, action: Array) -> tuple[Array, float, bool, bool]:
        """Observation, reward, terminated, truncated."""
        self.steps += 1
        if not np.isfinite(action).all():
            raise PacerError(
                f"the policy's action is not finite at {self._where()}, index {_first_bad(action)}: {action}. "
                "Learning has diverged: try a smaller learning rate or reward scale"
            )
        try:
            obs, reward, terminated, truncated, _ = self.env.step(to_box(action, self.low, self.high, self._dtype))
        except Exception as error:
            raise PacerError(f"{self.name} failed in step({action.tolist()}) at {self._where()}: {error!r}") from error
        if isinstance(reward, np.ndarray) and reward.size == 1:
            reward = reward.item()
        if not isinstance(reward, int | float | np.number) or not np.isfinite(reward):
            raise PacerError(
                f"{self.name} returned reward {reward!r} at {self._where()}: expected a finite number. "
                "The environment must be mended; what was learned so far is kept"
            )
        return self._observation(obs, "step"), float(reward), bool(terminated), bool(truncated)

    def close(self) -> None:
        self.env.close()

    def _observation(self, obs: Any, source: str) -> Array:
        obs = np.asarray(obs)
        if obs.shape != (self.space.observation,) or obs.dtype.kind not in "fiub":
            raise PacerError(
                f"{self.name} returned an observation of shape {obs.shape} and type {obs.dtype} from {source} at "
                f"{self._where()}: expected {self.space.observation} numbers, as its observation space says"
            )
        obs = obs.astype(np.float32)
        if not np.isfinite(obs).all():
            bad = _first_bad(obs)
            raise PacerError(
                f"{self.name} returned {obs[bad]} in its observation from {source} at {self._where()}, index {bad}: "
                "expected finite numbers. The environment must be mended; what was learned so far is kept"
            )
        return obs

    def _where(self) -> str:
        return f"step {self.steps} of this environment"


def check_action_space(space: Any, name: str) -> tuple[Array, Array, Any]:
    """Bounds and type of a bounded box of actions."""
    if not _is_box(space) or len(space.shape) != 1:
        raise PacerError(
            f"{name} has the action space {space}: expected a one-dimensional Box. "
            "Discrete actions are not supported; a Box of another shape can be flattened by a wrapper"
        )
    if not (np.isfinite(space.low).all() and np.isfinite(space.high).all() and (space.low < space.high).all()):
        raise PacerError(
            f"{name} has the action space {space}: expected finite bounds with low < high. "
            "gymnasium.wrappers.RescaleAction or ClipAction can give it some"
        )
    return space.low.astype(np.float32), space.high.astype(np.float32), space.dtype


def check_observation_space(space: Any, name: str) -> int:
    """Size of a vector of observations."""
    if not _is_box(space) or len(space.shape) != 1 or space.shape[0] == 0:
        raise PacerError(
            f"{name} has the observation space {space}: expected a one-dimensional Box. "
            "gymnasium.wrappers.FlattenObservation turns dictionaries into vectors; images are not supported"
        )
    return int(space.shape[0])


def to_box(action: Array, low: Array, high: Array, dtype: Any = np.float32) -> Array:
    """From [-1, 1]^A to the environment's own bounds."""
    return np.clip(low + (action + 1) * 0.5 * (high - low), low, high).astype(dtype)


def _is_box(space: Any) -> bool:
    from gymnasium.spaces import Box

    return isinstance(space, Box)


def _first_bad(values: Array) -> int:
    return int(np.flatnonzero(~np.isfinite(values))[0])
