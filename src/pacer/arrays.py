"""Pytrees of arrays to and from safetensors files, leaf by leaf under the name of its path. Never pickle."""

from pathlib import Path
from typing import Any

import jax
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from pacer.errors import PacerError
from pacer.files import replacing


def save_tree(path: Path, tree: Any) -> None:
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    with replacing(path) as temporary:
        try:
            save_file({_name(key): np.asarray(leaf, order="C") for key, leaf in leaves}, temporary)
        except SafetensorError as error:
            raise PacerError(f"{path} cannot be written: {error}") from error


def load_tree(path: Path, like: Any) -> Any:
    """The tree in `path`, of the same structure, shapes and types as `like`; leaves are NumPy arrays."""
    try:
        stored = load_file(path)
    except (SafetensorError, OSError) as error:
        raise PacerError(f"{path} cannot be read as a safetensors file: {error}") from error
    leaves, structure = jax.tree_util.tree_flatten_with_path(like)
    wanted = {_name(key): leaf for key, leaf in leaves}
    if stored.keys() != wanted.keys():
        odd = sorted(stored.keys() ^ wanted.keys())[:4]
        raise PacerError(f"{path} does not hold the arrays its configuration calls for (differing: {', '.join(odd)})")
    for name, leaf in wanted.items():
        if stored[name].shape != leaf.shape or stored[name].dtype != leaf.dtype:
            raise PacerError(
                f"{path}: {name} is {stored[name].dtype}{stored[name].shape}, expected {leaf.dtype}{leaf.shape}"
            )
    return jax.tree_util.tree_unflatten(structure, [stored[name] for name in wanted])


def _name(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator="/")
