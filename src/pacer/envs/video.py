"""Pictures without a screen: an OpenGL library to draw them with, and an MP4 file to write them to."""

import ctypes
import functools
import importlib
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pacer.errors import PacerError

DEBIAN = {"egl": "libegl1 libgl1-mesa-dri libopengl0", "osmesa": "libosmesa6"}


class RenderingUnavailable(PacerError):
    """This machine lacks what drawing without a screen needs."""


@functools.cache
def choose_opengl() -> None:
    """Have MuJoCo draw offscreen through a library that this machine has; the variable MUJOCO_GL wins.

    Without this, MuJoCo and Gymnasium try to open a window, which fails on a machine without a screen.
    """
    if sys.platform != "linux":
        return
    backend = os.environ.get("MUJOCO_GL") or _installed()
    if backend == "glfw" and not _has_screen():
        raise RenderingUnavailable("MUJOCO_GL is glfw, which needs a screen, and there is none; unset MUJOCO_GL")
    if backend in DEBIAN:
        _try(backend)
    # Gymnasium reads the variable when it opens its first picture.
    os.environ["MUJOCO_GL"] = backend
    if not _has_screen():
        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")  # for Pygame, which would look for one and complain


def _installed() -> str:
    """The first of EGL, OSMesa and a screen that is there."""
    if _loads("libEGL.so.1"):
        return "egl"
    if _loads("libOSMesa.so.8") or _loads("libOSMesa.so"):
        return "osmesa"
    if _has_screen():
        return "glfw"
    raise RenderingUnavailable(
        "drawing without a screen needs EGL or OSMesa, and neither is installed;"
        f" on Debian: apt install {DEBIAN['egl']} (or: apt install {DEBIAN['osmesa']})"
    )


def require_screen() -> None:
    """Refuse to open a window where there is no screen."""
    if sys.platform == "linux" and not _has_screen():
        raise RenderingUnavailable(
            "render_mode 'human' opens a window, and there is no screen (neither DISPLAY nor WAYLAND_DISPLAY is set);"
            " use render_mode 'rgb_array'"
        )


def _has_screen() -> bool:
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _try(backend: str) -> None:
    """Open a small picture, so that a missing driver is reported in plain words."""
    try:
        context = importlib.import_module(f"mujoco.{backend}").GLContext(16, 16)
        context.make_current()
        context.free()
    except Exception as error:  # PyOpenGL fails in many ways: ImportError, AttributeError, its own errors
        raise RenderingUnavailable(
            f"drawing without a screen through {backend} does not work on this machine"
            f" ({type(error).__name__}: {error}); on Debian: apt install {DEBIAN[backend]}"
        ) from error


def write_video(path: str | Path, frames: Iterable[NDArray[np.uint8]], fps: float) -> Path:
    """Write frames (height, width, 3) to an MP4 file, one at a time; the file appears when it is complete."""
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise PacerError("writing a video needs imageio-ffmpeg: pip install 'pacer-rl[video]'") from error
    path = Path(path)
    if path.suffix != ".mp4":
        raise PacerError(f"the video's file is {path.name!r}, expected a name that ends in .mp4")
    frames = iter(frames)
    first = next(frames, None)
    if first is None:
        raise ValueError(f"there are no frames to write to {path}")
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{path.stem}.", dir=path.parent))  # where nobody else can put a link
    partial = folder / path.name
    height, width = first.shape[:2]
    # The format stores colours for blocks of two by two pixels: an odd size is stretched by one pixel.
    writer = imageio_ffmpeg.write_frames(str(partial), (width, height), fps=fps, macro_block_size=2)
    try:
        with warnings.catch_warnings():
            # JAX warns of forks; the one that starts the encoder goes on to run another program, which is harmless.
            warnings.filterwarnings("ignore", message=".*os.fork.*")
            writer.send(None)
        for frame in chain([first], frames):
            if frame.shape != (height, width, 3) or frame.dtype != np.uint8:
                raise ValueError(
                    f"a frame has shape {frame.shape} and type {frame.dtype}, expected {(height, width, 3)} and uint8"
                )
            writer.send(np.ascontiguousarray(frame))
        writer.close()
        os.replace(partial, path)
    finally:
        writer.close()
        shutil.rmtree(folder)
    return path
