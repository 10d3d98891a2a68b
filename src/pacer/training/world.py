"""An environment as the agent sees it: actions in [-1, 1]^A, float32 observations, and everything checked."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pacer.envs.bounds import check_action_space, check_observation_space, to_box
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


def _first_bad(values: Array) -> int:
    return int(np.flatnonzero(~np.isfinite(values))[0])
