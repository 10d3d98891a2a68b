"""`pacer record`: a video of a trained policy, from the run folder alone."""

import imageio_ffmpeg
import pytest

import pacer
from pacer.commands.record import main
from pacer.envs.video import RenderingUnavailable, choose_opengl
from pacer.errors import PacerError
from tests.small import SMALL_RECIPES

try:
    choose_opengl()
    MISSING = ""
except RenderingUnavailable as error:
    MISSING = str(error)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "car"
    schedule = pacer.Schedule(evaluation_episodes=1)
    recipe = SMALL_RECIPES["m0p0"]
    pacer.train("pacer/CarNavigation1-v0", recipe, steps=50, run_dir=folder, schedule=schedule)
    return folder


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_a_video_has_a_frame_per_step_and_one_for_the_start(run, capsys):
    main([str(run), "--episodes", "2", "--steps", "3"])
    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(run / "video.mp4"))
    assert frames == 2 * (3 + 1)
    assert "episode 2: return" in capsys.readouterr().out


def test_nonsense_is_refused(run):
    with pytest.raises(PacerError, match="0 episodes"):
        main([str(run), "--episodes", "0"])
