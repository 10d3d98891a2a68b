"""What a user's own modules hold: they are imported because the user typed them, never because a file names them."""

import importlib.util
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from pacer.errors import PacerError, near

IMPORTED: list[str] = []
"""What the command line was told to import: processes that it starts are told the same."""


def import_words(sources: Iterable[str]) -> list[str]:
    """Words of a command line that say so."""
    return [word for source in sources for word in ("--import", source)]


def search_here() -> None:
    """Have modules of the current folder found, after those that are installed."""
    if not {"", os.getcwd()} & set(sys.path):
        sys.path.append(os.getcwd())


def imported(source: str) -> ModuleType:
    """A module by its name, or by the path of its file, in whose folder its imports are looked for."""
    if not source.endswith(".py"):
        try:
            return import_module(source)
        except ModuleNotFoundError as error:
            hint = "a module of the current folder or of an installed package, or the path of a .py file"
            raise PacerError(f"{source!r} cannot be imported ({error}): expected {hint}") from error
        except Exception as error:
            raise PacerError(f"{source!r} could not be imported: {error!r}") from error
    path = Path(source).resolve()
    if not path.is_file():
        raise PacerError(f"there is no file {source}")
    known = sys.modules.get(path.stem)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known  # its pieces must not be defined twice
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    sys.path.insert(0, str(path.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # its dataclasses and environments are looked up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        sys.modules.pop(path.stem, None)
        raise PacerError(f"{source} could not be run: {error!r}") from error
    return module


def fetched(text: str, kind: type) -> Any:
    """What `module:NAME` or `file.py:NAME` stands for, which must be of a kind."""
    source, _, name = text.rpartition(":")
    module = imported(source)
    known = [key for key, value in vars(module).items() if isinstance(value, kind)]
    if name not in known:
        listed = f"It has {', '.join(known)}" if known else "It has none"
        raise PacerError(f"{source} defines no {kind.__name__} {name!r}.{near(name, known)} {listed}")
    return getattr(module, name)
