"""`pacer show`: what is drawn is what the agent does, of runs, of single agents and in given states."""

import shutil

import numpy as np
import pytest

import pacer
from pacer.commands.show import main, read_observations
from pacer.errors import PacerError
from pacer.experiments.show import at
from pacer.reports import portrait
from tests.tiny_runs import RECIPE
from tests.worlds import Drift

pytest.importorskip("matplotlib", reason="needs the extra pacer-rl[report]")
pytestmark = pytest.mark.xdist_group("training")


@pytest.fixture(scope="module")
def run(tiny_run, tmp_path_factory):
    return shutil.copytree(tiny_run, tmp_path_factory.mktemp("shown") / "run")


def titles(figure):
    return [axes.get_title() for axes in figure.axes]


def test_a_run_is_drawn_and_what_was_found_is_kept_for_reports(run, tmp_path):
    figure = pacer.show(run, tmp_path / "run.png", states=2, samples=50, episodes=3, env=Drift)
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    curve, first, *_ = figure.axes
    assert len(figure.axes) == 1 + 2 * 2  # two dimensions are one pair
    assert curve.lines[0].get_xdata().tolist() == [50, 100, 150, 200]
    assert first.lines[0].get_xdata().size == 50
    assert "expected" in titles(figure)[2]
    assert "played" in titles(figure)[2]
    assert figure.get_suptitle() == "pacer-m-adaptive on Drift-v0, seed 0, after 200 steps"
    assert sorted(p.name for p in (run / "insight").iterdir()) == ["heatmaps.safetensors", "returns.safetensors"]


def test_an_agent_of_a_run_is_drawn_alone(run, tmp_path):
    alone = shutil.copytree(run, tmp_path / "run", ignore=shutil.ignore_patterns("insight"))
    figure = pacer.show(alone / "snapshots" / "100", states=1, samples=10, episodes=1, env=Drift)
    assert figure.get_suptitle().endswith("after 100 steps")
    assert not (alone / "insight").exists()


def test_states_can_be_given_and_need_no_environment(run, tmp_path, capsys):
    np.savetxt(tmp_path / "states.csv", np.eye(3)[:2], delimiter=",")
    main([str(run), "--observations", str(tmp_path / "states.csv"), "--output", str(tmp_path / "given.html")])
    assert "the picture is" in capsys.readouterr().out
    page = (tmp_path / "given.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "state 2: actions" in page
    assert "returns of episodes played" not in page
    lone = shutil.copytree(run / "best", tmp_path / "lone")
    figure = pacer.show(lone, observations=[1, 0, 0])
    assert len(figure.axes) == 2  # no run, no curve
    with pytest.raises(PacerError, match="belongs to no run"):
        pacer.show(lone)
    with pytest.raises(PacerError, match="nowhere holds no agent: expected a run folder"):
        pacer.show(tmp_path / "nowhere")


def test_what_is_found_in_given_states_is_what_the_agent_does(run):
    agent, states = pacer.load(run), np.eye(3, dtype=np.float32)
    found = at(agent, states)
    np.testing.assert_allclose(found["heatmaps"]["greedy"], agent.policy.greedy(states))
    actions = agent.low + (found["heatmaps"]["samples"][:, 0] + 1) / 2 * (agent.high - agent.low)
    np.testing.assert_allclose(found["returns"]["value"], agent.returns(states, actions).value, rtol=1e-5)
    assert found["returns"]["value"].shape == (3, RECIPE.critic.levels)


def test_what_cannot_be_shown_is_said(run, tmp_path):
    with pytest.raises(PacerError, match=r"ends with \.png, \.svg, \.pdf, \.html"):
        pacer.show(run, tmp_path / "picture.jpeg", observations=[1, 0, 0])
    with pytest.raises(PacerError, match="holds no rows of numbers"):
        read_observations(tmp_path / "none.csv")
    with pytest.raises(PacerError, match=r"expected \(3,\)"):
        pacer.show(run, observations=[1, 0])


def arrays(actions, states=2, played=5):
    rng = np.random.default_rng(0)
    samples = np.tanh(rng.normal(size=(states, 30, actions)) * np.linspace(0.2, 1, actions))
    value = np.tile(np.arange(4.0), (states, 1))
    monte_carlo = rng.normal(2, 1, (states, played))
    returns = {"value": value, "mass": np.full((states, 4), 0.25), "monte_carlo": monte_carlo, "soft": np.array(1)}
    left = np.full((states, played), 0.2)
    return {"samples": samples, "greedy": samples[:, 0]}, {**returns, "left": left}


@pytest.mark.parametrize("actions, panels", [(1, 1), (2, 1), (3, 3), (6, 3)])
def test_dimensions_are_drawn_in_pairs(actions, panels):
    figure = portrait.portrait(*arrays(actions), curves={})
    assert len(figure.axes) == 2 * (panels + 1)
    labels = [axes.get_xlabel() for axes in figure.axes]
    assert labels[0] == f"action {max(1, actions - 2) if actions > 2 else 1}"
    assert "(diversity included)" in " ".join(t.get_text() for t in figure.legends[0].texts)
    assert "20% lies past the end" in titles(figure)[panels]


def test_returns_are_drawn_as_the_probability_of_at_most_that():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    portrait.draw_returns(axes, np.array([3.0, 1.0]), np.array([0.25, 0.75]), np.array([2.0, np.nan, 4.0]))
    expected, mean, played, met = axes.lines
    assert expected.get_xydata().tolist() == [[1, 0], [1, 0.75], [3, 1]]
    assert mean.get_xdata()[0] == pytest.approx(1.5)
    assert played.get_xydata().tolist() == [[2, 0], [2, 0.5], [4, 1]]
    assert met.get_xdata()[0] == pytest.approx(3)
