"""Environments by name, with errors that say what to do."""

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

import gymnasium

from pacer.errors import EnvironmentFailed, PacerError, near, shown, trace_of


def maker(
    name: str, options: Mapping[str, Any], render_mode: str | None = None, wrappers: Sequence[str] = ()
) -> Callable[[], Any]:
    """A function that makes the environment `name` in its wrappers, the first of them innermost.

    `module:Id-v0` imports the module first, as Gymnasium does; a wrapper is `module:Class`.
    """
    if render_mode is not None:
        options = {**options, "render_mode": render_mode}
    if ":" not in name:
        _check_known(name)  # before anything is done for a name that does not exist
    for wrapper in wrappers:
        _wrapper(wrapper)
    return partial(make, name, dict(options), tuple(wrappers))  # which can be sent to another process


def make(name: str, options: Mapping[str, Any], wrappers: Sequence[str] = ()) -> Any:
    env = _bare(name, options)
    for wrapper in wrappers:
        try:
            env = _wrapper(wrapper)(env)
        except Exception as error:
            raise PacerError(f"the wrapper {wrapper} could not be put around {name}: {error!r}") from error
        if not isinstance(env, gymnasium.Env):
            raise PacerError(
                f"the wrapper {wrapper} makes a {type(env).__name__}: expected an environment, gymnasium.Env"
            )
    return env


def _wrapper(text: str) -> Callable[[Any], Any]:
    """What `module:Class` names: anything that takes an environment and returns one."""
    module, _, name = text.partition(":")
    try:
        home = import_module(module)
    except ImportError as error:
        raise PacerError(f"the wrapper {text!r} cannot be imported: {error}") from error
    found = getattr(home, name or "", None)
    if not callable(found):
        known = [key for key, value in vars(home).items() if isinstance(value, type)]
        expected = f"module:Class, such as gymnasium.wrappers:FlattenObservation.{near(name, known)}"
        raise PacerError(f"wrapper {text!r}: expected {expected}")
    return found


def _bare(name: str, options: Mapping[str, Any]) -> Any:
    try:
        with warnings.catch_warnings(), _mujoco_warnings():
            # The paper's tables are on v4: reminders that it is not the newest are noise here.
            warnings.filterwarnings("ignore", message=".*out of date.*")
            warnings.filterwarnings("ignore", message=".*settotalmass.*")
            warnings.filterwarnings("ignore", message=".*not in the possible render_modes.*")  # said below, if it is so
            return gymnasium.make(name, disable_env_checker=True, **options)
    except gymnasium.error.UnregisteredEnv as error:
        raise _unknown(name) from error
    except ModuleNotFoundError as error:
        hint = f". A file is named without its ending, {name.replace('.py:', ':')}" if ".py:" in name else ""
        raise PacerError(f"environment {name!r} needs a module that is not installed: {error}{hint}") from error
    except TypeError as error:
        if "render_mode" in options:
            told = "what makes it has to take render_mode='rgb_array', and its render() to return a picture"
            raise PacerError(f"environment {name!r} cannot be filmed: {told} ({shown(error)})") from error
        raise _not_made(name, options, error) from error
    except (Exception, SystemExit) as error:
        raise _not_made(name, options, error) from error


def _not_made(name: str, options: Mapping[str, Any], error: BaseException) -> EnvironmentFailed:
    message = f"environment {name!r} could not be made with options {dict(options)}: {shown(error)}"
    return EnvironmentFailed(message, trace_of(error))


def _check_known(name: str) -> None:
    try:
        gymnasium.spec(name)
    except gymnasium.error.UnregisteredEnv as error:
        raise _unknown(name) from error
    except gymnasium.error.Error:
        return  # a name without version: `make` finds the newest


def _unknown(name: str) -> PacerError:
    module, colon, short = name.rpartition(":")
    # An environment that comes with neither Gymnasium nor this package is known because the module registered it.
    known = [
        n if not colon or _home(spec) in ("gymnasium", "pacer") else f"{module}:{n}"
        for n, spec in gymnasium.registry.items()
    ]
    return PacerError(
        f"unknown environment {name!r}.{near(name, known) or near(short, gymnasium.registry)} "
        "An environment of your own is named module:Id-v0, where importing the module registers it; "
        "on the command line --import MODULE does that, too"
    )


def _home(spec: Any) -> str:
    """The package that an environment's class is in."""
    entry = spec.entry_point
    return str(entry if isinstance(entry, str) else getattr(entry, "__module__", "")).partition(".")[0]


@contextmanager
def _mujoco_warnings() -> Iterator[None]:
    """MuJoCo's warnings while a model is compiled, as Python's: else they go to a file in the working folder."""
    import mujoco

    previous = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: warnings.warn(message, stacklevel=2))
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(previous)


def parse_options(text: str) -> dict[str, Any]:
    """Environment options from the command line: JSON, such as {"forward_reward_weight": 2}."""
    try:
        options = json.loads(text)
    except json.JSONDecodeError as error:
        raise PacerError(f'environment options {text!r} are not JSON ({error}): expected {{"name": value}}') from error
    if not isinstance(options, dict):
        raise PacerError(f'environment options {text!r}: expected a JSON object, {{"name": value}}')
    return options
