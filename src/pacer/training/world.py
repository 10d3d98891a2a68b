"""An environment as the agent sees it: actions in [-1, 1]^A, float32 observations, and everything checked."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pacer.envs.bounds import check_action_space, check_observation_space, to_box
from pacer.errors import EnvironmentFailed, PacerError, shown, trace_of
from pacer.training.measures import Measures, Numbers
from pacer.training.watch import Leave, Watch

if TYPE_CHECKING:
    import gymnasium

    from pacer.pieces.types import Space

LONGEST = 10_000  # steps after which a judged episode is cut
LONGEST_UNLIMITED = 1_000  # the same where the environment sets no time limit, and episodes may have no end
ADVICE = "register it with max_episode_steps, or wrap it in TimeLimit"
MakeEnvironment = Callable[[], "gymnasium.Env[Any, Any]"]
Vector = NDArray[np.float32]


class World:
    """One environment, refused here if its spaces do not fit, and stopped here if it returns nonsense.

    Whoever plays in it says where in the run that is, for the messages.
    """

    def __init__(self, make: MakeEnvironment, name: str, watch: Watch | None = None) -> None:
        self.name = name
        self._watch = watch or Watch()
        self._watch.begin(name, "__init__", None, "the start")
        try:
            self.env = _checked(make(), name)
        finally:
            self._watch.end()
        try:
            actions, observations = self.env.action_space, self.env.observation_space
        except (Exception, SystemExit) as error:
            raise self._failed("its spaces", "the start", error) from error
        self.low, self.high, self._dtype = check_action_space(actions, name)
        self._size = check_observation_space(observations, name)
        self.limited = _is_limited(self.env)
        self.longest = LONGEST if self.limited else LONGEST_UNLIMITED
        self.measures = Measures(self.env, name)

    @property
    def space(self) -> "Space":
        from pacer.pieces.types import Space  # not above: it brings JAX, which the processes of worlds do without

        return Space(self._size, len(self.low))

    def reset(self, seed: int, where: str) -> Vector:
        """First observation of an episode."""
        self._watch.begin(self.name, "reset", seed, where)
        try:
            answer: Any = self.env.reset(seed=seed)
        except (Exception, SystemExit) as error:  # an environment may not end the run
            raise self._failed(f"reset(seed={seed})", where, error) from error
        finally:
            self._watch.end()
        obs, _ = self._parts(answer, ("observation", "info"), "reset", where)
        return self._observation(obs, "reset", where)

    def step(self, action: Vector, where: str) -> tuple[Vector, float, bool, bool, Numbers]:
        """Observation, reward, terminated, truncated, and those numbers of `info` that are measured."""
        if not np.isfinite(action).all():
            raise PacerError(
                f"the policy's action is not finite at {where}, index {_first_bad(action)}: {action}. "
                "Learning has diverged: try a smaller learning rate"
            )
        self._watch.begin(self.name, "step", action, where)
        try:
            answer: Any = self.env.step(to_box(action, self.low, self.high, self._dtype))
        except (Exception, SystemExit) as error:
            raise self._failed(f"step({action.tolist()})", where, error) from error
        finally:
            self._watch.end()
        parts = ("observation", "reward", "terminated", "truncated", "info")
        obs, reward, terminated, truncated, info = self._parts(answer, parts, "step", where)
        number = self._reward(reward, where)
        ended = self._flag(terminated, "terminated", where), self._flag(truncated, "truncated", where)
        return self._observation(obs, "step", where), number, *ended, self.measures.read(info, where)

    def repeat(
        self, seed: int, observations: Vector, actions: Vector, rewards: Vector, total: float, where: str
    ) -> Vector | None:
        """Play an episode again up to its last observation; None if the world answers otherwise than before.

        Rewards are remembered in float32, and their sum in full.
        """
        obs, again = self.reset(seed, where), 0.0
        same = np.array_equal(obs, observations[0])
        for action, expected, paid in zip(actions, observations[1:], rewards, strict=True):
            if not same:
                return None
            obs, reward, terminated, truncated, _ = self.step(action, where)
            same = np.array_equal(obs, expected) and np.float32(reward) == paid and not (terminated or truncated)
            again += reward
        return obs if same and again == total else None

    def redraw(self, seed: int) -> None:
        """From here on an episode has other chances than its start says, if the environment draws as Gymnasium asks."""
        self.env.unwrapped.np_random = np.random.default_rng(seed)

    def close(self) -> str | None:
        """Never raises: what went wrong is returned, and nothing depends on it any more."""
        self._watch.begin_last(self.name, "close")
        try:
            self.env.close()
        except (Exception, SystemExit) as error:
            return f"{self.name} failed in close(): {shown(error)}"
        except Leave:
            return f"{self.name} did not return from close()"
        finally:
            self._watch.end()
        return None

    def _failed(self, call: str, where: str, error: BaseException) -> PacerError:
        return EnvironmentFailed(f"{self.name} failed in {call} at {where}: {shown(error)}", trace_of(error))

    def _parts(self, answer: Any, names: tuple[str, ...], source: str, where: str) -> tuple[Any, ...]:
        if not isinstance(answer, tuple) or len(answer) != len(names):
            given = f"{len(answer)} values" if isinstance(answer, tuple) else f"a {type(answer).__name__}"
            raise PacerError(f"{self.name} returned {given} from {source} at {where}: expected {', '.join(names)}")
        return answer

    def _observation(self, given: Any, source: str, where: str) -> Vector:
        try:
            given = np.asarray(given)
        except (Exception, SystemExit) as error:  # ragged, or of a type that refuses
            raise PacerError(
                f"{self.name} returned an observation that is no array from {source} at {where} ({shown(error)}): "
                f"expected {self._size} numbers, as its observation space says"
            ) from error
        if given.shape != (self._size,) or given.dtype.kind not in "fiub":
            raise PacerError(
                f"{self.name} returned an observation of shape {given.shape} and type {given.dtype} from {source} at "
                f"{where}: expected {self._size} numbers, as its observation space says"
            )
        with np.errstate(over="ignore"):  # what is too large for float32 is refused like infinity
            obs = given.astype(np.float32)
        if not np.isfinite(obs).all():
            bad = _first_bad(obs)
            raise PacerError(
                f"{self.name} returned {given[bad]} in its observation from {source} at {where}, index {bad}: "
                "expected finite numbers. The environment must be mended; what was learned so far is kept"
            )
        return obs

    def _reward(self, reward: Any, where: str) -> float:
        if isinstance(reward, np.ndarray) and reward.size == 1:
            reward = reward.item()
        try:
            number = float(reward) if isinstance(reward, int | float | np.integer | np.floating) else np.nan
        except OverflowError:
            number = np.inf
        with np.errstate(over="ignore"):
            if not np.isfinite(np.float32(number)):
                raise PacerError(
                    f"{self.name} returned reward {shown(reward)} at {where}: expected a finite number. "
                    "The environment must be mended; what was learned so far is kept"
                )
        return number

    def _flag(self, value: Any, name: str, where: str) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise PacerError(f"{self.name} returned {name} {shown(value)} at {where}: expected True or False")
        return bool(value)


def _first_bad(values: Vector) -> int:
    return int(np.flatnonzero(~np.isfinite(values))[0])


def _checked(env: Any, name: str) -> "gymnasium.Env[Any, Any]":
    import gymnasium

    if hasattr(env, "num_envs"):
        raise PacerError(f"{name} makes a vector of environments: make one, and train with envs={env.num_envs}")
    if not isinstance(env, gymnasium.Env):
        raise PacerError(f"{name} makes a {type(env).__name__}: expected an environment of Gymnasium, gymnasium.Env")
    return env


def _is_limited(env: Any) -> bool:
    """Whether Gymnasium ends an episode after a number of steps."""
    from gymnasium import Wrapper
    from gymnasium.wrappers import TimeLimit

    if env.spec is not None and env.spec.max_episode_steps:
        return True
    while isinstance(env, Wrapper) and not isinstance(env, TimeLimit):
        env = env.env
    return isinstance(env, TimeLimit)
