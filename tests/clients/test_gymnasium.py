"""Gymnasium's own wrappers and vector environments, around what agents are trained in and play."""

from functools import partial

import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import ClipAction, RecordEpisodeStatistics, RecordVideo
from gymnasium.wrappers.vector import RecordEpisodeStatistics as RecordVectorStatistics

from pacer.runs.reader import Run
from tests.small import small_agent
from tests.tiny_runs import train
from tests.worlds import Drift

pytestmark = pytest.mark.xdist_group("training")


class Painted(Drift):
    """A Drift that can be seen."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012
    render_mode = "rgb_array"

    def render(self):
        picture = np.zeros((32, 32, 3), np.uint8)
        picture[*np.clip(16 + 15 * self.position, 0, 31).astype(int)] = 255
        return picture


IN_PROCESSES = partial(AsyncVectorEnv, context="spawn")  # a fork of a process with JAX may hang


@pytest.mark.parametrize("vector", [SyncVectorEnv, pytest.param(IN_PROCESSES, marks=pytest.mark.slow)])
def test_an_agent_plays_many_environments_at_once(vector):
    agent = small_agent()
    envs = RecordVectorStatistics(vector([Drift] * 3))
    obs, _ = envs.reset(seed=0)
    lengths = []
    for _ in range(40):
        actions, _ = agent.predict(obs, deterministic=True)
        np.testing.assert_allclose(actions, [agent.predict(row, deterministic=True)[0] for row in obs], atol=1e-5)
        obs, _, _, _, info = envs.step(np.clip(actions, envs.action_space.low, envs.action_space.high))
        lengths += info["episode"]["l"][info["_episode"]].tolist() if "episode" in info else []
    envs.close()
    assert lengths
    assert max(lengths) < 30


def test_a_run_is_trained_in_wrappers(tmp_path):
    """Statistics of episodes in `info` are no figures of ours; they must only do no harm."""
    made = []

    def make():
        made.append(RecordEpisodeStatistics(Drift()))
        return made[-1]

    train(tmp_path / "run", make=make, steps=50)
    run = Run(tmp_path / "run")
    assert run.status == "finished"
    played = next(env for env in made if env.return_queue)
    scored = next(env for env in reversed(made) if env.return_queue)
    assert sum(played.length_queue) <= 50
    returns = run.evaluations()["return"]
    np.testing.assert_allclose(returns, list(scored.return_queue)[-len(returns) :], rtol=1e-6)


def test_an_agent_is_recorded(tmp_path):
    pytest.importorskip("moviepy", reason="needs the extra pacer-rl[test]")
    agent = small_agent()
    env = RecordVideo(ClipAction(Painted()), tmp_path, episode_trigger=lambda number: True)
    for seed in range(2):
        obs, _ = env.reset(seed=seed)
        ended = False
        while not ended:
            obs, _, terminated, truncated, _ = env.step(agent.predict(obs)[0])
            ended = terminated or truncated
    env.close()
    films = sorted(tmp_path.glob("*.mp4"))
    assert len(films) == 2
    assert all(film.stat().st_size for film in films)
