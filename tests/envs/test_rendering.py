"""Pictures from above: what is where, in which colour; and what is said when a machine cannot draw."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

from pacer.envs import video
from pacer.envs.navigation.env import CarNavigation
from pacer.envs.navigation.rendering import COLOURS, MARGIN
from pacer.envs.navigation.tasks import TASKS
from pacer.envs.registration import ENVIRONMENTS, register_environments

register_environments()


@pytest.fixture
def opengl() -> None:
    try:
        video.choose_opengl()
    except video.RenderingUnavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture
def fresh_choice() -> Iterator[None]:
    video.choose_opengl.cache_clear()
    yield
    video.choose_opengl.cache_clear()


def nearest_colour(pixel: np.ndarray[Any, np.dtype[np.uint8]]) -> int:
    """Which kind's colour has the hue of this pixel; light and transparency change only its brightness and paleness."""

    def hue(rgb: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        centred = rgb - rgb.mean()
        return np.asarray(centred / (np.linalg.norm(centred) + 1e-9))

    colour = hue(pixel.astype(float))
    return max(COLOURS, key=lambda kind: float(hue(np.array(COLOURS[kind])) @ colour))


@pytest.mark.usefixtures("opengl")
@pytest.mark.parametrize("name", TASKS)
def test_every_object_is_drawn_at_its_place_in_its_colour(name: str) -> None:
    env = CarNavigation(name, render_mode="rgb_array")
    env.reset(seed=11)
    # The lidar over the car may cover an object: park the car outside the picture.
    env.data.qpos[:2] = 100.0, 100.0
    env.step(np.zeros(2, np.float32))
    picture = env.render()
    env.close()
    assert picture is not None
    assert picture.shape == (480, 480, 3)
    assert picture.dtype == np.uint8
    scale = 240.0 / (env.task.limits[2] + MARGIN)
    for kind, (x, y) in zip(env.course.kinds, env.course.positions, strict=True):
        assert nearest_colour(picture[round(240 - y * scale), round(240 + x * scale)]) == kind


@pytest.mark.usefixtures("opengl")
def test_the_car_and_its_lidar_are_drawn() -> None:
    env = CarNavigation(render_mode="rgb_array", hazards=0, immovable_treasures=0, moving_treasures=0)
    env.reset(seed=0)
    env.data.qpos[:2] = 0.0, 0.0
    env.step(np.zeros(2, np.float32))
    with_readings = env.render()
    env._readings = [0.0] * 48
    without = env.render()
    env.close()
    assert with_readings is not None
    assert without is not None
    red, green, blue = with_readings[240, 240].astype(int)
    assert red > green + 60
    assert red > blue + 60
    rows, columns = np.nonzero((with_readings != without).any(axis=2))
    # Only spheres around the car change with the readings.
    assert 20 < len(rows) < 2000
    assert np.hypot(rows - 240, columns - 240).max() < 80


@pytest.mark.usefixtures("opengl")
def test_rendering_leaves_the_episode_as_it_is() -> None:
    def play(draw: bool) -> list[Any]:
        env = CarNavigation(render_mode="rgb_array")
        record: list[Any] = [env.reset(seed=1)[0].tobytes()]
        for _ in range(30):
            if draw:
                env.render()
            observation, reward, *_ = env.step(np.array([1.0, -0.5], np.float32))
            record += [observation.tobytes(), reward]
        env.close()
        return record

    assert play(draw=True) == play(draw=False)


@pytest.mark.usefixtures("opengl")
@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_every_environment_draws_without_a_screen(id: str) -> None:
    env = gymnasium.make(id, render_mode="rgb_array")
    env.reset(seed=0)
    picture: Any = env.render()
    env.close()
    assert picture.shape == (480, 480, 3)
    assert picture.std() > 5.0


@pytest.mark.usefixtures("opengl")
def test_pictures_of_another_shape() -> None:
    env = CarNavigation(replace(TASKS["CarNavigation2"], limits=(0, 0, 10, 5)), "rgb_array", width=640, height=320)
    env.reset(seed=0)
    picture = env.render()
    env.close()
    assert picture is not None
    assert picture.shape == (320, 640, 3)


@pytest.mark.usefixtures("fresh_choice")
def test_a_machine_without_opengl_is_told_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("MUJOCO_GL", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(video.sys, "platform", "linux")
    monkeypatch.setattr(video, "_loads", lambda library: False)
    with pytest.raises(video.RenderingUnavailable, match=r"apt install libegl1.*apt install libosmesa6"):
        draw_once()


@pytest.mark.usefixtures("fresh_choice")
def test_a_machine_without_a_driver_is_told_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(width: int, height: int) -> None:
        raise ImportError("no device")

    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setattr(video.sys, "platform", "linux")
    monkeypatch.setattr(video.importlib, "import_module", lambda name: SimpleNamespace(GLContext=broken))
    with pytest.raises(video.RenderingUnavailable, match=r"no device.*libgl1-mesa-dri"):
        draw_once()


@pytest.mark.usefixtures("fresh_choice")
@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_a_window_without_a_screen_is_refused(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(video.sys, "platform", "linux")
    with pytest.raises(video.RenderingUnavailable, match="use render_mode 'rgb_array'"):
        gymnasium.make(id, render_mode="human").reset(seed=0)
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    with pytest.raises(video.RenderingUnavailable, match="unset MUJOCO_GL"):
        draw_once()


def draw_once() -> None:
    env = CarNavigation(render_mode="rgb_array")
    env.reset(seed=0)
    env.render()


def test_an_unknown_render_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="expected None, 'human' or 'rgb_array'"):
        CarNavigation(render_mode="ansi")
