"""Named arrays to and from safetensors files. Never pickle."""

from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from pacer.errors import PacerError
from pacer.runs.files import replacing

Arrays = dict[str, np.ndarray[Any, Any]]


def save_arrays(path: Path, arrays: Arrays) -> None:
    with replacing(path) as temporary:
        try:
            save_file(arrays, temporary)
        except SafetensorError as error:
            raise PacerError(f"{path} cannot be written: {error}") from error


def load_arrays(path: Path) -> Arrays:
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        raise PacerError(f"{path} cannot be read as a safetensors file: {error}") from error
