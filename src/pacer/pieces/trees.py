"""Pytrees as flat tables of named arrays, the form in which they are stored."""

from typing import Any

import jax
import numpy as np


def to_arrays(tree: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Every leaf under the name of its path, such as `online/actor/params/head/bias`."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {_name(path): np.asarray(leaf, order="C") for path, leaf in leaves}


def kinds(like: Any) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shape and type of every leaf, under its name."""
    return {_name(path): (leaf.shape, str(leaf.dtype)) for path, leaf in jax.tree_util.tree_leaves_with_path(like)}


def from_arrays(arrays: dict[str, np.ndarray[Any, Any]], like: Any) -> Any:
    """The tree of the structure of `like` whose leaves these are, by name."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(like)
    return jax.tree_util.tree_unflatten(structure, [arrays[_name(path)] for path, _ in leaves])


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator="/")
