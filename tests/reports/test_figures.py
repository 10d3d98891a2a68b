"""Figures for papers: that they are there, say what they show, and do not change from one time to the next."""

import sys

import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.reports import figures
from pacer.reports.cells import Scored
from pacer.reports.curves import Curve


def run(environment, label, seed, length=4):
    steps = np.arange(1, length + 1) * 5_000
    return Scored(environment, label, seed, {"greedy": Curve(steps, 100.0 * np.arange(length) + seed)})


def test_without_matplotlib_the_user_hears_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PacerError, match="pacer-rl\\[report\\]"):
        figures.write([run("Hopper-v4", "sac", 0)], tmp_path)


@pytest.mark.slow
class TestFigures:
    @pytest.fixture(autouse=True)
    def matplotlib(self):
        pytest.importorskip("matplotlib", reason="pip install 'pacer-rl[report]'")

    def test_each_comes_as_svg_and_pdf_and_names_its_seeds(self, tmp_path):
        runs = [run("Hopper-v4", label, seed) for label in ("sac", "pacer-m") for seed in range(3)]
        runs += [run("Hopper-v4", "sac", 3, length=2), run("HumanoidStandup-v4", "m0p0", 0)]
        returns = {"pacer/RiskyHalfCheetah-v0": {"pacer-m-risk_cvar_0.25": [np.arange(10.0), np.arange(5.0)]}}
        paths = figures.write(runs, tmp_path, returns=returns)
        names = ("curves", "ablation", "profile-mujoco", "risk-pacer-RiskyHalfCheetah-v0")
        assert [path.name for path in paths] == [f"{name}.{ending}" for name in names for ending in ("svg", "pdf")]
        said = {path.stem: path.read_text() for path in paths if path.suffix == ".svg"}
        assert all(word in said["curves"] for word in ("sac (4 seeds)", "Hopper-v4", "environment steps", "10k"))
        assert "20k, 1 seed<" in said["ablation"]
        assert "pacer-m (tasks: 1, runs: 3)" in said["profile-mujoco"]
        assert "(2 seeds, 15 episodes)" in said["risk-pacer-RiskyHalfCheetah-v0"]
        before = [path.read_bytes() for path in paths]
        assert [path.read_bytes() for path in figures.write(runs, tmp_path, returns=returns)] == before

    def test_names_are_shown_as_they_are(self, tmp_path):
        svg, _ = figures.write([run("<script>$x", "_own", 0)], tmp_path)
        assert "&lt;script&gt;$x" in svg.read_text()
        assert "_own (1 seed)" in svg.read_text()

    def test_nothing_to_show_is_no_figure(self, tmp_path):
        assert figures.write([Scored("Hopper-v4", "sac", 0, {})], tmp_path) == []
