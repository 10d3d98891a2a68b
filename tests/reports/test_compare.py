"""`pacer compare`: several runs in one picture and one table, as the report counts them."""

import shutil

import numpy as np
import pytest

import pacer
from pacer.commands.compare import main
from pacer.errors import PacerError
from pacer.reports.cells import cells
from pacer.reports.compare import gathered
from pacer.reports.dataset import load
from tests.reports import synthetic

pytest.importorskip("matplotlib", reason="needs the extra pacer-rl[report]")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    synthetic.grid(root, tasks=["Hopper-v4"], recipes=("sac", "td3"), seeds=3, evaluations=20)
    synthetic.write(root / "car", "pacer/CarNavigation1-v0", "sac", evaluations=1)
    return root


def test_the_table_has_the_numbers_of_the_report(runs):
    compared = pacer.compare(runs)
    assert [row[:4] for row in compared.table.rows] == [
        ["Hopper-v4", "sac", "3", "100k"],
        ["Hopper-v4", "td3", "3", "100k"],
        ["pacer/CarNavigation1-v0", "sac", "1", "5k"],
    ]
    expected = cells(run.scored for run in load([runs]).runs)
    assert [row["final"] for row in compared.table.data] == [cell.iqm.value for cell in expected]
    wins = np.mean([[a > b for b in expected[0].finals] for a in expected[1].finals])
    assert [row["better"] for row in compared.table.data] == [None, pytest.approx(wins), None]
    lines = str(compared).splitlines()
    assert lines[1].index("sac") == lines[2].index("td3") == lines[0].index("algorithm")


def test_the_command_draws_and_prints(runs, tmp_path, capsys):
    main([str(runs / "Hopper-v4" / "sac"), str(runs / "Hopper-v4" / "td3"), "--output", str(tmp_path / "two.svg")])
    said = capsys.readouterr().out
    assert said.splitlines()[0].split()[:3] == ["task", "algorithm", "seeds"]
    assert said.rstrip().endswith("two.svg")
    assert "td3 (3 seeds)" in (tmp_path / "two.svg").read_text()


def test_runs_of_one_name_in_two_folders_are_told_apart(runs, tmp_path):
    before = shutil.copytree(runs / "Hopper-v4" / "sac", tmp_path / "before")
    after = runs / "Hopper-v4" / "sac"
    labels = [row[1] for row in pacer.compare(before, after).table.rows]
    assert sorted(labels) == sorted([f"sac ({before})", f"sac ({after})"])
    same = [row[1:3] for row in pacer.compare(after, after / "seed0").table.rows]
    assert same == [["sac", "3"]]  # one run that is named twice is one run
    assert len(gathered([after, after / "seed0", runs])) == len(load([runs]).runs)  # in its curves, too


def test_what_cannot_be_compared_is_said(runs, tmp_path):
    synthetic.write(tmp_path / "begun", done=0.0)
    with pytest.raises(PacerError, match="has a greedy evaluation yet"):
        pacer.compare(tmp_path)
    with pytest.raises(PacerError, match="name run folders"):
        main([])
    for window in (0, 2):
        with pytest.raises(PacerError, match=f"window is {window}: expected an odd number"):
            pacer.compare(runs, window=window)
