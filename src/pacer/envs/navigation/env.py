"""Car navigation as a Gymnasium environment: drive to goals, avoid hazards, collect treasures."""

from math import atan2, cos, exp, hypot, isfinite, pi, sin
from typing import Any, ClassVar

import gymnasium
import mujoco
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from pacer.envs.navigation.course import GOAL, IMMOVABLE, MOVING, UNTOUCHED, Course, Touch
from pacer.envs.navigation.lidar import Lidar
from pacer.envs.navigation.model import START_HEIGHT, SUBSTEPS, TIMESTEP, VECTOR_READINGS, build_model, pose
from pacer.envs.navigation.placement import place
from pacer.envs.navigation.rendering import View
from pacer.envs.navigation.tasks import NavigationTask, resolve

Array = NDArray[np.float64]

SENSORS = VECTOR_READINGS + 9
GOAL_CLOSENESS = SENSORS
FIRST_LIDAR = SENSORS + 1


class CarNavigation(gymnasium.Env[Array, NDArray[np.float32]]):
    """One navigation task; keyword arguments beyond the first four change fields of the task."""

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": ["human", "rgb_array"],
        "render_fps": round(1.0 / (TIMESTEP * SUBSTEPS)),
    }

    EPISODE_SUMS: ClassVar = {"goals": "goal_met", "hazards": "hazard", "treasures": "treasure"}

    def __init__(
        self,
        task: NavigationTask | str = "CarNavigation1",
        render_mode: str | None = None,
        width: int = 480,
        height: int = 480,
        **changes: Any,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is {render_mode!r}, expected None, 'human' or 'rgb_array'")
        self.task = resolve(task, changes)
        # Refuse a task without room now, instead of at some reset to come.
        place(self.task, np.random.default_rng(0))
        self.model = build_model(self.task.limits)
        self.data = mujoco.MjData(self.model)
        self.course = Course(self.task)
        separate = self.task.separate_treasure_lidars
        seen_by = [IMMOVABLE if kind == MOVING and not separate else kind for kind in self.course.kinds]
        self._lidar = Lidar(seen_by, 4 if separate else 3, self.task.lidar_bins, self.task.lidar_distance)
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = self._observation_space()
        self.render_mode = render_mode
        self._view = View(self.model, self.data, self.course, width, height)
        self._goal_distance = 0.0
        self._readings = [0.0] * (self._lidar.rings * self._lidar.bins)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Place the car and all objects at random, and start the clock."""
        super().reset(seed=seed)
        mujoco.mj_resetData(self.model, self.data)
        x, y = self.course.scatter(self.np_random)
        heading = self.np_random.uniform(-pi, pi)
        self.data.qpos[:7] = (x, y, START_HEIGHT, cos(heading / 2.0), 0.0, 0.0, sin(heading / 2.0))
        mujoco.mj_forward(self.model, self.data)
        distances = self._distances()
        self._goal_distance = distances[GOAL]
        observation = self._observe(distances)
        if self.render_mode == "human":
            self.render()
        return observation, self._info(False, UNTOUCHED, 0.0)

    def step(self, action: NDArray[np.float32]) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Drive the wheels for 0.04 s; the reward is the sum of the terms in `info`, clipped."""
        self.data.ctrl[:] = _checked(action)
        mujoco.mj_step(self.model, self.data, nstep=SUBSTEPS)
        # mj_step leaves the sensors one substep behind the positions; the original engine reads them up to date.
        mujoco.mj_forward(self.model, self.data)
        self.course.advance(self.data.time)
        distances = self._distances()
        progress = self._goal_distance - distances[GOAL]
        goal_met = distances[GOAL] <= self.task.goal_size
        info = self._info(goal_met, self.course.touch(distances, self.np_random), progress)
        if goal_met:
            x, y = self.data.qpos[:2].tolist()
            self.course.redraw_goal(self.np_random, (x, y))
            distances = self._distances()
        self._goal_distance = distances[GOAL]
        observation = self._observe(distances)
        if self.render_mode == "human":
            self.render()
        reward = info["reward_distance"] + info["reward_goal"] + info["reward_hazard"] + info["reward_treasure"]
        bound = self.task.reward_bound
        return observation, min(max(reward, -bound), bound), False, False, info

    def render(self) -> NDArray[np.uint8] | None:
        """A picture from above (rgb_array), or the same in a window (human)."""
        if self.render_mode is None:
            gymnasium.logger.warn("nothing to draw: make the environment with render_mode='rgb_array' or 'human'")
            return None
        return self._view.draw(self.render_mode, np.reshape(self._readings, (self._lidar.rings, self._lidar.bins)))

    def close(self) -> None:
        """Close the window or the offscreen picture, if there is one."""
        self._view.close()

    def _distances(self) -> list[float]:
        """From the car's centre to all objects, on the floor."""
        x, y = self.data.qpos[:2].tolist()
        return [hypot(at_x - x, at_y - y) for at_x, at_y in self.course.positions]

    def _observe(self, distances: list[float]) -> Array:
        """Sensors, closeness of the goal, lidars."""
        observation = np.empty(FIRST_LIDAR + len(self._readings))
        sensors = self.data.sensordata
        observation[:VECTOR_READINGS] = sensors[:VECTOR_READINGS]
        mujoco.mju_quat2Mat(observation[VECTOR_READINGS:SENSORS], sensors[VECTOR_READINGS:])
        observation[GOAL_CLOSENESS] = exp(-distances[GOAL])
        x, y, heading = pose(self.data)
        bearings = [atan2(at_y - y, at_x - x) - heading for at_x, at_y in self.course.positions]
        observation[FIRST_LIDAR:] = self._readings = self._lidar.read(distances, bearings)
        return observation

    def _info(self, goal_met: bool, touch: Touch, progress: float) -> dict[str, Any]:
        return {
            "goal_met": goal_met,
            "hazard": touch.hazards,
            "treasure": touch.treasures,
            "reward_distance": self.task.distance_reward * progress,
            "reward_goal": self.task.goal_reward if goal_met else 0.0,
            "reward_hazard": touch.hazard_reward,
            "reward_treasure": touch.treasure_reward,
        }

    def _observation_space(self) -> "spaces.Box[np.float64]":
        low = np.full(FIRST_LIDAR + self._lidar.rings * self._lidar.bins, -np.inf)
        high = np.full_like(low, np.inf)
        # A rotation matrix's entries may leave [-1, 1] by a rounding error, so its bounds stay open.
        low[GOAL_CLOSENESS:], high[GOAL_CLOSENESS:] = 0.0, 1.0
        return spaces.Box(low, high, dtype=np.float64)


def _checked(action: NDArray[np.float32]) -> NDArray[np.float32]:
    """The action, refused when MuJoCo would silently make something else of it."""
    action = np.asarray(action)
    if action.shape != (2,):
        raise ValueError(f"the action has shape {action.shape}, expected (2,): left wheel, right wheel")
    left, right = action.tolist()
    if not isfinite(left + right):
        raise ValueError(f"the action is {action}, expected two finite numbers in [-1, 1]")
    return action
