"""An environment as the agent sees it: actions in [-1, 1]^A, float32 observations, and everything checked."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pacer.errors import PacerError
from pacer.pieces.types import Array, Space

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
        """Steps so far; whoever drives the world may set it to what a message should count from."""
        self._during = "an episode"

    def reset(self, seed: int, during: str = "an episode") -> Array:
        """First observation of an episode; `during` says in messages which one it is."""
        self._during = during
        try:
            obs, _ = self.env.reset(seed=seed)
        except Exception as error:
            raise PacerError(f"{self.name} failed in reset(seed={seed}) at {self._where()}: {error!r}") from error
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
        number = self._reward(reward)
        ended = self._flag(terminated, "terminated"), self._flag(truncated, "truncated")
        return self._observation(obs, "step"), number, *ended

    def close(self) -> None:
        self.env.close()

    def _observation(self, obs: Any, source: str) -> Array:
        given = np.asarray(obs)
        if given.shape != (self.space.observation,) or given.dtype.kind not in "fiub":
            raise PacerError(
                f"{self.name} returned an observation of shape {given.shape} and type {given.dtype} from {source} at "
                f"{self._where()}: expected {self.space.observation} numbers, as its observation space says"
            )
        with np.errstate(over="ignore"):  # what is too large for float32 is refused like infinity
            obs = given.astype(np.float32)
        if not np.isfinite(obs).all():
            bad = _first_bad(obs)
            raise PacerError(
                f"{self.name} returned {given[bad]} in its observation from {source} at {self._where()}, index {bad}: "
                "expected finite numbers. The environment must be mended; what was learned so far is kept"
            )
        return obs

    def _reward(self, reward: Any) -> float:
        if isinstance(reward, np.ndarray) and reward.size == 1:
            reward = reward.item()
        with np.errstate(over="ignore"):
            if not isinstance(reward, int | float | np.number) or not np.isfinite(np.float32(reward)):
                raise PacerError(
                    f"{self.name} returned reward {reward!r} at {self._where()}: expected a finite number. "
                    "The environment must be mended; what was learned so far is kept"
                )
        return float(reward)

    def _flag(self, value: Any, name: str) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise PacerError(f"{self.name} returned {name} {value!r} at {self._where()}: expected True or False")
        return bool(value)

    def _where(self) -> str:
        return f"step {self.steps} of {self._during}"


def check_action_space(space: Any, name: str) -> tuple[Array, Array, Any]:
    """Bounds in float32 and type of a bounded box of actions."""
    if not _is_box(space) or len(space.shape) != 1 or space.shape[0] == 0 or space.dtype.kind != "f":
        raise PacerError(
            f"{name} has the action space {space}: expected a one-dimensional Box of real numbers. "
            "Discrete actions are not supported; a Box of another shape can be flattened by a wrapper"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = space.low.astype(np.float32), space.high.astype(np.float32)
        # Rounding must not lead out of the environment's own bounds.
        low = np.where(low < space.low, np.nextafter(low, np.float32(np.inf)), low)
        high = np.where(high > space.high, np.nextafter(high, np.float32(-np.inf)), high)
        bounded = np.isfinite(high - low).all() and (low < high).all()
    if not bounded:
        raise PacerError(
            f"{name} has the action space {space}: expected finite bounds with low < high. "
            "gymnasium.wrappers.RescaleAction or ClipAction can give it some"
        )
    return low, high, space.dtype


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
