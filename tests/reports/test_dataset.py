"""Reading a tree of runs: what is there, and what is wrong with the rest."""

import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.reports.content import content
from pacer.reports.dataset import load
from pacer.reports.results import results
from pacer.reports.watch import fingerprint
from tests.reports import synthetic


def test_runs_come_in_order_with_all_they_hold(tmp_path):
    for seed in (1, 0):
        synthetic.write(tmp_path / f"odd name {seed}", "Hopper-v4", "sac", seed, evaluations=4)
    synthetic.insight(tmp_path / "odd name 0")
    data = load([tmp_path, tmp_path / "odd name 0"])
    first, second = data.runs
    assert data.problems == []
    assert (first.environment, first.label, first.seed, first.steps) == ("Hopper-v4", "sac", 0, 20_000)
    assert second.seed == 1
    assert first.status == "finished"
    assert first.reached == 20_000
    assert first.evaluations["return"].shape == (80,)
    assert first.settings["recipe"]["discount"] == 0.99
    assert first.insight["heatmaps"]["counts"].sum() == 9 * 100_000
    assert second.insight is None


def test_a_run_that_has_only_begun_is_a_run(tmp_path):
    run = synthetic.write(tmp_path / "run", evaluations=2)
    for log in run.glob("*.csv"):
        log.unlink()
    data = load([run])
    assert data.problems == []
    assert data.runs[0].reached == 0


def test_what_cannot_be_read_is_told_and_the_rest_is_there(tmp_path):
    good = synthetic.write(tmp_path / "good", evaluations=2)
    (tmp_path / "empty").mkdir()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "notes.txt").write_text("nothing of ours")
    for name in ("torn", "half", "headless", "strange", "later", "binary"):
        synthetic.write(tmp_path / name, evaluations=2)
    (tmp_path / "torn" / "config.json").write_text('{"format": 2, "con')
    (tmp_path / "half" / "evaluations.csv").write_text(
        "step,mode,episode,return,length,discounted\n5000,greedy,0,1.5\n\n"
    )
    (tmp_path / "headless" / "config.json").unlink()
    synthetic.rename(tmp_path / "strange", seed="zero")
    (tmp_path / "later" / "progress.csv").write_text("when,what\n1,2\n")
    (tmp_path / "binary" / "evaluations.csv").write_bytes(bytes(range(256)) + b"\n" + bytes(range(256)) + b"\n")
    (tmp_path / "good" / "insight").mkdir()
    (tmp_path / "good" / "insight" / "heatmaps.safetensors").write_bytes(b"torn")
    data = load([tmp_path])
    assert [run.path.name for run in data.runs] == ["binary", "good", "half", "later"]
    told = {path.name: why for path, why in data.problems}
    assert told.keys() == {p.name for p in tmp_path.iterdir()}
    assert "empty" in told["empty"]
    assert "other files" in told["foreign"]
    assert "column step" in told["later"]
    assert "line 2" in told["half"]
    assert "safetensors" in told["good"]
    assert np.isfinite(next(r for r in data.runs if r.path == good).evaluations["return"]).all()


def test_scores_are_of_the_seeds_that_came_as_far_as_the_furthest(tmp_path):
    synthetic.grid(tmp_path / "done", tasks=["Hopper-v4"], recipes=("sac",), seeds=2, evaluations=20)
    synthetic.write(tmp_path / "behind", "Hopper-v4", "sac", seed=2, evaluations=20, done=0.1)
    synthetic.write(tmp_path / "begun", "Hopper-v4", "td3", evaluations=20, done=0.1)  # the furthest of its kind
    found = load([tmp_path])
    assert [(run.label, run.seed) for run in found.complete] == [("sac", 0), ("sac", 1), ("td3", 0)]
    (episodes,) = (table for table in results(found) if table.name.startswith("episodes"))
    assert [row["seeds"] for row in episodes.data] == [2, 1]
    shown = [run["modes"]["greedy"] for run in content(found)["runs"]]
    assert [bool(mode["scores"]) for mode in shown] == [True, True, False, True]
    assert [mode["episodes"] is None for mode in shown] == [False, False, True, False]
    assert all(mode["figures"]["return"] for mode in shown)  # curves are of all


def test_what_a_report_writes_is_no_change_of_the_runs(tmp_path):
    synthetic.write(tmp_path / "runs" / "one", evaluations=2)
    page, tables = tmp_path / "runs" / "report.html", tmp_path / "runs" / "tables"
    own = [page.resolve(), tables.resolve()]
    before = fingerprint([tmp_path / "runs"], own)
    page.write_text("a page")
    tables.mkdir()
    (tables / "scores.md").write_text("a table")
    assert fingerprint([tmp_path / "runs"], own) == before
    synthetic.write(tmp_path / "runs" / "two", evaluations=2)
    assert fingerprint([tmp_path / "runs"], own) != before


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PacerError, match="does not exist"):
        load([tmp_path / "nowhere"])
