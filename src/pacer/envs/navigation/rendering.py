"""Pictures of a navigation task from above, with the lidar drawn as rings of spheres over the car."""

from math import cos, pi, sin, tan
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from pacer.envs.navigation.course import GOAL, HAZARD, IMMOVABLE, MOVING, Course
from pacer.envs.navigation.model import pose

if TYPE_CHECKING:
    from gymnasium.envs.mujoco.mujoco_rendering import MujocoRenderer

COLOURS = {
    GOAL: (0.10, 0.68, 0.30),
    HAZARD: (0.20, 0.36, 0.92),
    IMMOVABLE: (0.98, 0.72, 0.05),
    MOVING: (0.72, 0.20, 0.80),
}
MARGIN = 0.25


class View:
    """Draws car, goal, hazards, treasures and lidar; opens a window or an offscreen context at the first picture."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, course: Course, width: int, height: int) -> None:
        self._model, self._data, self._course = model, data, course
        self._width, self._height = width, height
        x_low, y_low, x_high, y_high = course.task.limits
        self._centre = ((x_low + x_high) / 2.0, (y_low + y_high) / 2.0, 0.0)
        self._half_width = max(y_high - y_low, (x_high - x_low) * height / width) / 2.0 + MARGIN
        self._renderer: MujocoRenderer | None = None

    def draw(self, mode: str, lidar: NDArray[np.float64]) -> NDArray[np.uint8] | None:
        """One picture; `lidar` holds a row of readings for each ring."""
        if self._renderer is None:
            self._renderer = self._open(mode)
        viewer = self._renderer._get_viewer(mode)
        for marker in (*self._objects(), *self._rings(lidar)):
            viewer.add_marker(**marker)
        picture = self._renderer.render(mode)
        # MuJoCo's pictures are views upside down; a copy is what everything that writes images expects.
        return None if picture is None else np.ascontiguousarray(picture)

    def close(self) -> None:
        """Close the window or the offscreen context; the next picture opens a new one."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def _open(self, mode: str) -> "MujocoRenderer":
        from gymnasium.envs.mujoco.mujoco_rendering import MujocoRenderer

        from pacer.envs.video import choose_opengl, require_screen

        require_screen() if mode == "human" else choose_opengl()

        self._model.vis.global_.offwidth = max(self._model.vis.global_.offwidth, self._width)
        self._model.vis.global_.offheight = max(self._model.vis.global_.offheight, self._height)
        distance = self._half_width / tan(self._model.vis.global_.fovy * pi / 360.0)
        camera = {"distance": distance, "azimuth": 90.0, "elevation": -90.0, "lookat": np.array(self._centre)}
        renderer = MujocoRenderer(self._model, self._data, camera, self._width, self._height)
        if mode == "human":
            renderer._get_viewer(mode)._hide_menu = True  # it would cover half of the picture; the key H shows it
        return renderer

    def _objects(self) -> list[dict[str, Any]]:
        """Flat discs for goal and hazards, taller pieces for the treasures, in the order seen from above."""
        shapes = {
            GOAL: (mujoco.mjtGeom.mjGEOM_CYLINDER, 0.01, 0.55),
            HAZARD: (mujoco.mjtGeom.mjGEOM_CYLINDER, 0.005, 0.35),
            IMMOVABLE: (mujoco.mjtGeom.mjGEOM_CYLINDER, 0.03, 0.9),
            MOVING: (mujoco.mjtGeom.mjGEOM_SPHERE, 0.0, 0.9),
        }
        markers = []
        for kind, size, (x, y) in zip(self._course.kinds, self._course.sizes, self._course.positions, strict=True):
            shape, half_height, opacity = shapes[kind]
            dimensions = np.array([size, half_height, 0.0])
            markers.append(_marker(shape, dimensions, (x, y, half_height or size), COLOURS[kind], opacity))
        return markers

    def _rings(self, lidar: NDArray[np.float64]) -> list[dict[str, Any]]:
        """One sphere per bin, opaque by its reading; each ring is wider than the last, to be told apart from above."""
        x, y, heading = pose(self._data)
        # In a wide arena the car is small in the picture: its rings grow with the arena so that they stay legible.
        scale = max(1.0, self._half_width / 2.0)
        radius = np.full(3, 0.028 * scale)
        markers = []
        for ring, readings in enumerate(lidar.tolist()):
            away, height = (0.25 + 0.07 * ring) * scale, 0.2 + 0.02 * ring
            for i, reading in enumerate(readings):
                angle = heading + (i + 0.5) * 2.0 * pi / len(readings)
                at = (x + away * cos(angle), y + away * sin(angle), height)
                markers.append(
                    _marker(mujoco.mjtGeom.mjGEOM_SPHERE, radius, at, COLOURS[ring], min(1.0, 0.1 + reading))
                )
        return markers


def _marker(
    shape: mujoco.mjtGeom,
    size: NDArray[np.float64],
    at: tuple[float, float, float],
    colour: tuple[float, float, float],
    opacity: float,
) -> dict[str, Any]:
    return {
        "type": shape,
        "size": size,
        "pos": np.array(at),
        "rgba": np.array((*colour, opacity), dtype=np.float32),
    }
