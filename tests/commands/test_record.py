"""`pacer record`: a video of a trained policy, from the run folder alone."""

import json

import imageio_ffmpeg
import numpy as np
import pytest

import pacer
from pacer.commands.record import main
from pacer.envs.video import RenderingUnavailable, choose_opengl
from pacer.errors import PacerError
from pacer.runs.reader import Run
from tests.tiny_runs import RECIPE

try:
    choose_opengl()
    MISSING = ""
except RenderingUnavailable as error:
    MISSING = str(error)


SHORT = {"max_episode_steps": 8}
REPEATED = ["--env-kwargs", json.dumps(SHORT)]  # what a run says of its environment is used only if it is repeated


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "car"
    schedule = pacer.Schedule(evaluation_episodes=2)
    pacer.train("pacer/CarNavigation1-v0", RECIPE, steps=50, run_dir=folder, schedule=schedule, env_kwargs=SHORT)
    return folder


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_a_video_has_a_frame_per_step_and_one_for_the_start(run, capsys):
    main([str(run), *REPEATED, "--episodes", "2", "--longest", "3"])
    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(run / "video.mp4"))
    assert frames == 2 * (3 + 1)
    assert "episode 1: return" in capsys.readouterr().out


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
@pytest.mark.parametrize("mode, flag", [("greedy", []), ("sampled", ["--sampled"])])
def test_the_very_episode_that_was_scored_can_be_recorded(run, capsys, tmp_path, mode, flag):
    scored = Run(run).evaluations()
    (index,) = np.flatnonzero((scored["mode"] == mode) & (scored["episode"] == 1))
    main([str(run), *REPEATED, "--step", "50", "--episode", "1", "--output", str(tmp_path / "film.mp4"), *flag])
    assert f"episode 1: return {scored['return'][index]:.2f}, as it was scored" in capsys.readouterr().out
    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "film.mp4"))
    assert frames == scored["length"][index] + 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--episodes", "0"], "0 episodes"),
        (["--longest", "0"], "episodes of 0 steps"),
        (["--step", "40"], r"holds no agent 40: it holds those of the steps 50 \(snapshots/50/\)"),
        (["--step", "50", "--episode", "2"], "scored 2 greedy episodes at step 50, and number 2 .* is there: 50"),
    ],
)
def test_nonsense_is_refused(run, arguments, message):
    with pytest.raises(PacerError, match=message):
        main([str(run), *REPEATED, *arguments])
