"""Stable-Baselines3's tools take our agents, and the evaluations of our runs."""

import numpy as np
import pytest
from gymnasium.wrappers import ClipAction, RecordEpisodeStatistics

from pacer.exports.evaluations import evaluation_arrays
from tests.small import small_agent
from tests.worlds import Drift

pytest.importorskip("stable_baselines3", reason="needs the extra pacer-rl[sb3]")


@pytest.mark.parametrize("deterministic", [True, False])
def test_evaluate_policy_scores_an_agent(deterministic):
    from stable_baselines3.common.evaluation import evaluate_policy
    from stable_baselines3.common.vec_env import DummyVecEnv

    agent = small_agent()
    agent.seed(0)
    envs = [RecordEpisodeStatistics(ClipAction(Drift())) for _ in range(2)]
    vector = DummyVecEnv([lambda env=env: env for env in envs])
    vector.seed(0)
    returns, lengths = evaluate_policy(
        agent, vector, n_eval_episodes=6, deterministic=deterministic, return_episode_rewards=True, warn=False
    )
    assert len(returns) == len(lengths) == 6
    own = [total for env in envs for total in env.return_queue]
    assert all(np.isclose(own, total, rtol=1e-4).any() for total in returns)


def log_of(steps, episodes):
    """The columns of an evaluations.csv."""
    count = 2 * len(steps) * episodes
    mode = np.tile(np.repeat(["greedy", "sampled"], episodes), len(steps))
    step = np.repeat(steps, 2 * episodes)
    return {"step": step, "mode": mode, "return": np.arange(float(count)), "length": np.arange(count) + 5}


@pytest.mark.slow
def test_evaluations_have_the_form_of_its_callback(tmp_path):
    from stable_baselines3 import SAC
    from stable_baselines3.common.callbacks import EvalCallback
    from stable_baselines3.common.monitor import Monitor

    callback = EvalCallback(Monitor(Drift()), n_eval_episodes=3, eval_freq=50, log_path=str(tmp_path), verbose=0)
    SAC("MlpPolicy", Drift(), learning_starts=1_000).learn(100, callback)
    with np.load(tmp_path / "evaluations.npz") as file:
        theirs = dict(file)
    ours = evaluation_arrays(log_of([50, 100], 3))
    assert {name: (array.shape, array.dtype.kind) for name, array in ours.items()} == {
        name: (array.shape, array.dtype.kind) for name, array in theirs.items()
    }


def test_its_plots_take_evaluations(tmp_path):
    pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from stable_baselines3.common.results_plotter import plot_curves

    np.savez(tmp_path / "evaluations.npz", **evaluation_arrays(log_of(range(50, 1_050, 50), 10)))
    with np.load(tmp_path / "evaluations.npz") as file:
        mean = file["results"].mean(axis=1)
        assert mean[:2].tolist() == [4.5, 24.5]  # greedy episodes alone
        curves = [(file["timesteps"], mean)]
    plot_curves(curves, "timesteps", "evaluations", figsize=(4, 3))
    from matplotlib import pyplot

    pyplot.savefig(tmp_path / "plot.png")
    pyplot.close()
    assert (tmp_path / "plot.png").stat().st_size > 1_000
