"""Named arrays to and from safetensors files. Never pickle; nothing is read before its type and size are known."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from pacer.errors import PacerError, printable, shown
from pacer.runs.files import opened, replacing

Arrays = dict[str, np.ndarray[Any, Any]]
Kind = tuple[tuple[int, ...], str]
"""Shape and type of an array, the type as NumPy names it."""

LARGEST_HEADER = 1 << 20  # bytes
LARGEST = 512 << 20  # bytes of all arrays of a file
MOST_AXES = 8
TYPES = {"BOOL": "bool", "U32": "uint32", "I32": "int32", "I64": "int64", "F32": "float32", "F64": "float64"}


def save_arrays(path: Path, arrays: Arrays) -> None:
    try:
        content = save(arrays)
    except (SafetensorError, KeyError) as error:
        raise PacerError(f"{path} cannot be written: {error}") from error
    with replacing(path, len(content)) as file:
        file.write(content)


def load_arrays(path: Path, wanted: Mapping[str, Kind] | None = None, most: float = LARGEST) -> Arrays:
    """The arrays of a file, of `most` bytes together: those `wanted` and no others, where it is said which."""
    try:
        with opened(path) as file:
            if int.from_bytes(file.read(8), "little") > LARGEST_HEADER:
                raise PacerError(f"{path} cannot be read as a safetensors file: its header is too large")
        with safe_open(path, "np") as arrays:
            found = {name: _kind(path, name, arrays.get_slice(name)) for name in arrays.keys()}  # noqa: SIM118
            if wanted is not None:
                check_kinds(path, found, wanted)
            size = sum(math.prod(shape) * np.dtype(kind).itemsize for shape, kind in found.values())
            if size > most:
                raise PacerError(f"{path} holds arrays of {size} bytes, and {most} is the most expected")
            return {name: arrays.get_tensor(name) for name in found}
    except (SafetensorError, OSError, ValueError) as error:
        raise PacerError(f"{path} cannot be read as a safetensors file: {error}") from error


def _kind(path: Path, name: str, array: Any) -> Kind:
    shape, kind = tuple(array.get_shape()), array.get_dtype()
    if kind not in TYPES or len(shape) > MOST_AXES:
        raise PacerError(f"{path}: {shown(name)} is {kind} of {len(shape)} axes, which no array of pacer's is")
    return shape, TYPES[kind]


def check_kinds(source: object, found: Mapping[str, Kind], wanted: Mapping[str, Kind]) -> None:
    """Refuse what comes from `source` if it is not what is wanted."""
    if odd := sorted(found.keys() ^ wanted.keys()):
        names = ", ".join(printable(name) for name in odd[:4])
        raise PacerError(f"{source} does not hold the arrays its configuration calls for (differing: {names})")
    for name, (shape, kind) in wanted.items():
        if found[name] != (shape, kind):
            there, expected = (f"{k}{s}" for s, k in (found[name], (shape, kind)))
            raise PacerError(f"{source}: {name} is {there}, expected {expected}")
