"""Frames become an MP4 file, whole or not at all."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pacer.envs.video import write_video
from pacer.errors import PacerError

imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")


def frames(count: int, shape: tuple[int, ...] = (48, 64, 3)) -> Iterator[np.ndarray[Any, np.dtype[np.uint8]]]:
    for i in range(count):
        yield np.full(shape, 20 * i, np.uint8)


def test_frames_come_back(tmp_path: Path) -> None:
    path = write_video(tmp_path / "new" / "episode.mp4", frames(10), fps=25)
    reader = imageio_ffmpeg.read_frames(str(path))
    meta = next(reader)
    pictures = [np.frombuffer(data, np.uint8).reshape(48, 64, 3) for data in reader]
    assert meta["size"] == (64, 48)
    assert meta["fps"] == 25
    assert len(pictures) == 10
    assert [round(picture.mean() / 20) for picture in pictures] == list(range(10))
    assert [file.name for file in path.parent.iterdir()] == ["episode.mp4"]


def test_an_odd_size_is_written(tmp_path: Path) -> None:
    assert write_video(tmp_path / "odd.mp4", frames(3, (47, 63, 3)), fps=10).stat().st_size > 0


@pytest.mark.parametrize(
    "bad", [[], [np.zeros((8, 8, 3), np.uint8), np.zeros((8, 8, 3))], [np.zeros((8, 8), np.uint8)]]
)
def test_what_cannot_be_written_leaves_no_file(bad: list[Any], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no frames|expected .* and uint8"):
        write_video(tmp_path / "bad.mp4", bad, fps=25)
    assert list(tmp_path.iterdir()) == []


def test_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PacerError, match=r"\.mp4"):
        write_video(tmp_path / "episode.gif", frames(2), fps=25)


def test_a_missing_writer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(PacerError, match=r"pip install 'pacer-rl\[video\]'"):
        write_video(tmp_path / "episode.mp4", frames(2), fps=25)


def test_a_link_in_place_of_the_file_is_replaced_not_followed(tmp_path: Path) -> None:
    victim, before = tmp_path / "victim", tmp_path / "run"
    before.mkdir()
    victim.write_text("precious")
    for name in ("video.mp4", ".video.partial.mp4"):
        (before / name).symlink_to(victim)
    write_video(before / "video.mp4", frames(2), fps=25)
    assert victim.read_text() == "precious"
    assert sorted(p.name for p in before.iterdir()) == [".video.partial.mp4", "video.mp4"]
    assert not (before / "video.mp4").is_symlink()
