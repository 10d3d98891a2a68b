"""`pacer report`: files where they were asked for, and pages that follow the runs."""

import re

import pytest

from pacer.commands import report
from pacer.errors import PacerError
from pacer.reports import watch
from tests.reports import synthetic

pytest.importorskip("plotly")


def test_page_and_tables(tmp_path, capsys):
    synthetic.grid(tmp_path / "runs", ("Hopper-v4",), ("sac", "td3"), 2, evaluations=3)
    output = tmp_path / "new" / "page.html"
    report.main([str(tmp_path / "runs"), "--output", str(output), "--tables", str(tmp_path / "tables")])
    assert "4 runs" in capsys.readouterr().out
    assert "<title>pacer report: runs</title>" in output.read_text()
    names = {path.name for path in (tmp_path / "tables").iterdir()}
    assert {"mujoco-best.md", "mujoco-best.csv", "mujoco-scores.csv"} <= names


@pytest.mark.slow
def test_figures(tmp_path):
    pytest.importorskip("matplotlib")
    synthetic.grid(tmp_path / "runs", ("Hopper-v4",), ("sac", "td3"), 2, evaluations=3)
    page, figures = tmp_path / "page.html", tmp_path / "figures"
    report.main([str(tmp_path / "runs"), "--output", str(page), "--figures", str(figures)])
    assert {"curves.svg", "curves.pdf", "risk-Hopper-v4.svg"} <= {path.name for path in figures.iterdir()}


def test_what_cannot_be_reported_is_refused(tmp_path):
    (tmp_path / "foreign").mkdir()
    for arguments, why in (
        ([str(tmp_path)], "no run in .*foreign: no run: the folder is empty"),
        ([str(tmp_path / "nowhere")], "does not exist"),
        ([str(tmp_path), "--watch", "--every", "0"], "expected a second or more"),
    ):
        with pytest.raises(PacerError, match=re.compile(why, re.S)):
            report.main([*arguments, "--output", str(tmp_path / "page.html")])
    assert not (tmp_path / "page.html").exists()


def test_watching_writes_after_changes_and_ends_with_a_page_that_stays(tmp_path, monkeypatch, capsys):
    runs, output, pages = tmp_path / "runs", tmp_path / "page.html", []
    runs.mkdir()

    def sleep(seconds):
        pages.append(output.read_text())
        if len(pages) == 1:
            synthetic.write(runs / "run", evaluations=2)
        if len(pages) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(watch.time, "sleep", sleep)
    report.main([str(runs), "--output", str(output), "--watch", "--every", "5"])
    assert "No run yet" in pages[0]
    assert "1 run," in pages[1]
    assert 'data-reload="5"' in pages[1]
    assert pages[2] == pages[1]  # nothing changed, nothing was written
    assert "data-reload" not in output.read_text().partition("<body>")[0]
    assert capsys.readouterr().out.count("page.html") == 3


def test_what_a_report_does_not_read_is_no_change(tmp_path):
    run = synthetic.write(tmp_path / "run", evaluations=2)
    before = watch.fingerprint([tmp_path])
    (run / "replay").mkdir()
    (run / "replay" / "rows").write_text("much")
    (run / ".lock").write_text("")
    assert watch.fingerprint([tmp_path]) == before
    with (run / "evaluations.csv").open("a") as file:
        file.write("15000,greedy,0,1.0,2,1.0\n")
    assert watch.fingerprint([tmp_path]) != before
