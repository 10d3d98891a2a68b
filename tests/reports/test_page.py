"""The page as text: what is in it, what is not, and that names cannot become anything else than text."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from pacer.reports.content import content, numbers
from pacer.reports.dataset import Dataset, load
from pacer.reports.page import island, render, write
from pacer.runs.arrays import save_arrays
from tests.reports import synthetic

pytest.importorskip("plotly")
EVIL = {"environment": "<script>alert(1)</script>", "label": "</script><img src=x onerror=alert(2)>&amp;'\"{{title}}"}


class Elements(HTMLParser):
    """The elements of a page, and the text that is neither script nor style."""

    def __init__(self, page):
        super().__init__()
        self.names, self.ids, self.text, self._inside = [], [], "", ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self._inside = tag
        self.names.append(tag)
        self.ids.append(dict(attributes).get("id"))

    def handle_data(self, data):
        if self._inside not in ("script", "style"):
            self.text += data


def sections(page):
    return re.findall(r'<section id="(\w+)">', page)


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="content">(.*?)</script>', page, re.S)[1])


def test_one_run_is_enough_and_empty_sections_are_left_out(tmp_path):
    synthetic.write(tmp_path / "run", "Hopper-v4", "sac", 0, evaluations=3)
    page = render(load([tmp_path]))
    assert sections(page) == ["overview", "curves", "scores", "risk", "learning", "timings", "runs"]
    assert "1 run, 1 algorithm, 1 task; 1 finished." in page
    assert "bit-exact" in page
    assert "&quot;discount&quot;: 0.99" in page
    (run,) = data_of(page)["runs"]
    assert run["modes"]["greedy"]["step"] == [5_000, 10_000, 15_000]
    assert len(run["modes"]["sampled"]["episodes"]) == 30


def test_insight_and_counts_have_sections_of_their_own(tmp_path):
    run = synthetic.write(tmp_path / "run", "pacer/RiskyHalfCheetah-v0", "pacer-m-adaptive", 0, evaluations=3)
    synthetic.insight(run, bins=100)
    page = render(load([tmp_path]))
    assert {"events", "heatmaps", "returns"} < {*sections(page)}
    insight = data_of(page)["runs"][0]["insight"]
    assert insight["heatmaps"]["bins"] == 50  # pooled
    assert len(insight["heatmaps"]["maps"]) == len(insight["heatmaps"]["phases"]) == 3
    assert insight["returns"]["states"][0]["learned"][1][-1] == pytest.approx(1)


def test_a_run_that_has_only_begun_and_no_run_at_all_make_a_page(tmp_path):
    run = synthetic.write(tmp_path / "run", evaluations=1)
    for log in run.glob("*.csv"):
        log.unlink()
    assert sections(render(load([tmp_path]))) == ["overview", "runs"]
    assert sections(render(Dataset())) == ["overview"]


def test_names_stay_text_wherever_they_are(tmp_path):
    run = synthetic.write(tmp_path / "<b>run", evaluations=3)
    synthetic.rename(run, **EVIL, environment_options={"name": "</pre><script>"})
    (tmp_path / "<i>broken").mkdir()
    plain = Elements(render(Dataset()))
    page = render(load([tmp_path]), title="<u>title</u>")
    elements = Elements(page)
    assert elements.names.count("script") == plain.names.count("script") == 3
    assert not {"img", "b", "i", "u"} & {*elements.names}
    for name in (*EVIL.values(), "<b>run", "<i>broken", "<u>title</u>", "</pre><script>"):
        assert name in elements.text
    assert data_of(page)["tasks"] == [EVIL["environment"]]
    assert data_of(page)["algorithms"][0]["name"] == EVIL["label"]


def test_an_island_has_nothing_that_html_could_take_for_its_own():
    value = {"<!--": "</script>\u2028&"}
    assert not {*"<>&\u2028"} & {*island(value)}
    assert json.loads(island(value)) == value


def test_only_the_pages_own_scripts_may_run_and_nothing_may_be_fetched(tmp_path):
    page = render(Dataset())
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)[1]
    assert "default-src 'none'" in policy
    assert policy.count("sha256-") == 2
    assert re.findall(r'(?:src|href)="([^"#]+)', page.partition("<script")[0]) == ["data:,"]


def test_what_could_not_be_read_is_told(tmp_path):
    synthetic.write(tmp_path / "good", evaluations=2)
    (tmp_path / "empty").mkdir()
    page = render(load([tmp_path]))
    assert "1 folder could not be read" in page
    assert "the folder is empty" in page


def test_seeds_are_counted_and_copies_are_not(tmp_path):
    synthetic.grid(tmp_path / "a", ("Hopper-v4",), ("sac",), 2, evaluations=3)
    synthetic.write(tmp_path / "copy", "Hopper-v4", "sac", 1, evaluations=3, done=0.7)
    data = load([tmp_path])
    assert len(data.runs) == 3
    page = render(data)
    assert len(data_of(page)["runs"]) == 2
    assert "(2 seeds)" in page


def test_numbers_are_short_and_what_is_none_is_nothing():
    assert numbers([1.23456789, float("nan"), float("inf")]) == [1.2346, None, None]


@pytest.mark.slow
def test_54_runs_make_a_small_page(tmp_path):
    synthetic.grid(tmp_path / "runs")
    write(load([tmp_path / "runs"]), tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 15e6
    assert [p.name for p in tmp_path.iterdir() if p.suffix != ""] == ["report.html"]


def test_lines_of_any_length_are_thinned(tmp_path):
    synthetic.write(tmp_path / "run", evaluations=200)
    (run,) = content(load([tmp_path]))["runs"]
    assert len(run["learning"]["step"]) == 250
    assert run["learning"]["step"] == sorted(run["learning"]["step"])
    assert run["learning"]["train_return"][0] is not None


def test_zeros_are_no_figure(tmp_path):
    """An older run without an encourager tells its distance all the same."""
    synthetic.write(tmp_path / "run", recipe="td3", evaluations=3)
    (run,) = content(load([tmp_path]))["runs"]
    assert run["learning"].keys() == {"step", "train_return", "actor_loss", "critic_loss"}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # infinite returns have no mean
def test_odd_values_do_not_stop_the_page(tmp_path):
    run = synthetic.write(tmp_path / "run\udcff", evaluations=3)
    synthetic.insight(run)
    save_arrays(run / "insight" / "returns.safetensors", {"value": np.zeros((2, 3), np.float32)})
    synthetic.rename(run, label="\ud800", environment_options=[1])
    (run / "run.json").write_text('{"format": 2, "status": 7, "versions": ["x"]}')
    for log in run.glob("*.csv"):
        first, second, *rest = log.read_text().split("\n")
        numbers = second.split(",")
        column = first.split(",").index("return") if "return" in first.split(",") else -1
        odd = []
        for value in ("nan", "inf", "-inf"):
            numbers[column] = value
            odd.append(",".join(numbers))
        log.write_text("\n".join([first, *odd, *rest]))
    data = load([tmp_path])
    status, insight = (why for _, why in data.problems)
    assert status.startswith("status is 7: expected one of 'running', ")
    assert "mass has shape None" in insight
    write(data, tmp_path / "report.html")
    assert "heatmaps" in sections((tmp_path / "report.html").read_text())
