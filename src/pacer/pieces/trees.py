"""Pytrees as flat tables of named arrays, the form in which they are stored."""

from typing import Any

import jax
import numpy as np

from pacer.errors import PacerError


def to_arrays(tree: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Every leaf under the name of its path, such as `online/actor/params/head/bias`."""
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {_name(path): np.asarray(leaf, order="C") for path, leaf in leaves}


def from_arrays(arrays: dict[str, np.ndarray[Any, Any]], like: Any, source: object) -> Any:
    """The tree of the same structure, shapes and types as `like`; `source` is where messages say they are from."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(like)
    wanted = {_name(path): leaf for path, leaf in leaves}
    if arrays.keys() != wanted.keys():
        odd = sorted(arrays.keys() ^ wanted.keys())[:4]
        raise PacerError(f"{source} does not hold the arrays its configuration calls for (differing: {', '.join(odd)})")
    for name, leaf in wanted.items():
        if arrays[name].shape != leaf.shape or arrays[name].dtype != leaf.dtype:
            raise PacerError(
                f"{source}: {name} is {arrays[name].dtype}{arrays[name].shape}, expected {leaf.dtype}{leaf.shape}"
            )
    return jax.tree_util.tree_unflatten(structure, [arrays[name] for name in wanted])


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator="/")
