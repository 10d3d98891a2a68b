"""What tells environments of your own apart that have one name: their code, and all of yours that it uses."""

import dis
import functools
import hashlib
import inspect
import re
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import load_env_creator

_LIBRARIES = tuple(str(Path(sysconfig.get_path(name)).resolve()) for name in ("stdlib", "purelib", "platlib"))


def identity(make: Callable[..., Any]) -> str:
    """A digest of the function's code, its arguments and defaults, and of your functions and classes that it names.

    An edited reward is another environment; comments and docstrings change nothing, and libraries go by their names.
    """
    return _digest(make)


def identity_of(name: str, wrappers: Sequence[str] = ()) -> str:
    """The same of an environment by its id, and of its wrappers; nothing where none of them is yours."""
    module, _, short = name.rpartition(":")
    try:
        if module:
            import_module(module)
        spec = gymnasium.spec(short)
        parts = (spec.entry_point, *wrappers)
        made_of = [load_env_creator(part) if isinstance(part, str) else part for part in parts]
    except Exception:  # whatever is wrong with them is told when the environment is made
        return ""
    homes = [sys.modules[part.partition(":")[0]] for part in parts if isinstance(part, str)]
    mine = any(map(_yours, [*made_of, *homes]))  # so is what a module of yours made of a library's
    return _digest((made_of, spec.kwargs, spec.max_episode_steps)) if mine else ""


def _digest(value: Any) -> str:
    parts = hashlib.sha256()
    for part in _parts(value, {}):
        parts.update(part.encode() + b"\0")
    return parts.hexdigest()[:16]


def _parts(value: Any, seen: dict[int, Any]) -> Iterator[str]:
    if isinstance(value, str | bytes | int | float | complex | None | type(...)):
        yield repr(value)
        return
    if id(value) in seen:
        return
    seen[id(value)] = value  # kept, so that no other takes its id
    match value:
        case CodeType():
            yield from (value.co_code.hex(), *value.co_names, *value.co_varnames)
            for constant in value.co_consts:
                yield from _parts(constant, seen)
        case FunctionType() if _yours(value):
            yield from _function(value, seen)
        case type() if _yours(value):
            yield value.__qualname__
            hidden = ("__doc__", "__dict__", "__weakref__", "__module__", "__firstlineno__", "__static_attributes__")
            members = {n: m for n, m in vars(value).items() if n not in hidden and not n.startswith("_abc_")}
            functions = (m.__code__ for m in members.values() if isinstance(m, FunctionType))
            stored = {name for code in functions for name in _stored(code)}  # a counter is no constant
            for name, member in members.items():
                if name not in stored:
                    yield from (name, *_parts(inspect.unwrap(getattr(member, "__func__", member)), seen))
            for base in value.__bases__:
                yield from _parts(base, seen)
        case MethodType():
            yield from (*_parts(value.__func__, seen), *_parts(value.__self__, seen))
        case functools.partial():
            yield from _parts((value.func, value.args, value.keywords), seen)
        case property():
            yield from _parts((value.fget, value.fset), seen)
        case functools.cached_property():
            yield from _parts(value.func, seen)
        case ModuleType():
            yield value.__name__
        case tuple() | list():
            for item in value:
                yield from _parts(item, seen)
        case set() | frozenset():
            yield from sorted(map(repr, value))  # their order changes from process to process
        case Mapping():
            for key, item in value.items():
                yield from (repr(key), *_parts(item, seen))
        case np.ndarray() | np.generic():
            yield repr((value.dtype, value.shape, value.tobytes()))
        case _ if callable(value) and inspect.unwrap(value) is not value:  # such as a cache around a function
            yield from (type(value).__qualname__, *_parts(inspect.unwrap(value), seen))
        case _ if hasattr(value, "__qualname__"):
            yield f"{value.__module__}.{value.__qualname__}"
        case _ if _yours(type(value)):
            yield from (*_parts(type(value), seen), *_parts(object.__getstate__(value), seen))
        case _:  # such as a space; an address in memory says nothing
            yield re.sub(r"0x[0-9a-f]+", "", repr(value))


def _function(function: FunctionType, seen: dict[int, Any]) -> Iterator[str]:
    code = function.__code__
    yield from _parts(code.replace(co_consts=tuple(c for c in code.co_consts if c != function.__doc__)), seen)
    yield from _parts((function.__defaults__, function.__kwdefaults__), seen)
    yield from _parts(inspect.getclosurevars(function).nonlocals, seen)
    yield from _named(_names(code) - _stored(code), function.__globals__, seen)


def _named(
    names: set[str], held: Mapping[str, Any], seen: dict[int, Any], within: tuple[str, ...] = ()
) -> Iterator[str]:
    """What of a module's own the names stand for, and what of the modules of yours that it uses."""
    for name in sorted(names):
        value = held.get(name)
        if name.isupper() or not isinstance(value, list | dict | set):  # others are more likely filled than read
            yield from (name, *_parts(value, seen))
        if isinstance(value, ModuleType) and _yours(value) and value.__name__ not in within:
            known = names & vars(value).keys()
            yield from _named(known, vars(value), seen, (*within, value.__name__))


def _names(code: CodeType) -> set[str]:
    """Every name in a function and in the functions within it."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _stored(code: CodeType) -> set[str]:
    """Names of the attributes and global variables that a function assigns."""
    return {i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_ATTR", "STORE_GLOBAL")}


def _yours(value: Any) -> bool:
    """Whether something is defined in the user's own files, or in none, as in a notebook."""
    value = value.func if isinstance(value, functools.partial) else value
    module = value.__name__ if isinstance(value, ModuleType) else value.__module__ or ""
    file = getattr(sys.modules.get(module), "__file__", None)
    here = str(Path(file).resolve()) if file else ""
    return not here.startswith((*_LIBRARIES, str(Path(__file__).parents[1]))) and module not in sys.builtin_module_names
