"""The page in a real browser: nothing is asked of the network, nothing fails, everything is drawn and answers."""

import json
import shutil
import time

import pytest

from pacer.reports.dataset import load
from pacer.reports.page import write
from tests.reports import synthetic

webdriver = pytest.importorskip("selenium.webdriver")
pytest.importorskip("plotly")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs Debian's chromium and chromium-driver"),
]
EVIL = {"environment": "<script>alert(1)</script>", "label": "<img src=x onerror=alert(2)>&amp;</title>"}
SECTIONS = {"curves", "scores", "risk", "events", "heatmaps", "returns", "learning", "timings"}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Some runs of every kind."""
    root = tmp_path_factory.mktemp("runs")
    first, *_ = synthetic.grid(root, ("Hopper-v4",), seeds=2, evaluations=20)
    synthetic.insight(first)
    for risk in ("cvar:0.25", "cvar:0.9"):
        path = root / risk.replace(":", "_")
        synthetic.write(path, "pacer/RiskyHalfCheetah-v0", "pacer-m-adaptive", 0, 20, risk=risk)
    car = synthetic.write(root / "car", "pacer/CarNavigation1-v0", "sac", 0, 20, done=0.5)
    synthetic.insight(car, states=2, dimensions=(0, 0))
    synthetic.rename(synthetic.write(root / "evil", evaluations=5), **EVIL)
    (root / "empty").mkdir()
    return written(root, tmp_path_factory)


def written(root, tmp_path_factory):
    output = tmp_path_factory.mktemp("page") / "report.html"
    write(load([root]), output)
    return output


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def show(browser, page, width=1280, dark=False, within="main"):
    """Open the page and have its charts come into view, or those of one section."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 640}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.get("about:blank")
    browser.get(page.as_uri())
    paint(browser, within)


def paint(browser, within="main"):
    """Figures, as a reader who scrolls past them would see them."""
    # A browser may answer before the page is there: no figure is no answer.
    script = """
      const figures = [...document.querySelectorAll(`${arguments[0]} figure`)];
      const waiting = figures.filter((figure) => figure.stale || figure.ariaBusy !== "false");
      if (waiting.length) waiting[0].scrollIntoView();
      return figures.length > 0 && waiting.length === 0;"""
    until(lambda: browser.execute_script(script, within))


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def drawn(browser, section=None):
    """What the figures show: per section the captions and the numbers."""
    script = """
      const shown = {};
      for (const figure of document.querySelectorAll("figure")) {
        const id = figure.closest("section").id;
        const traces = figure.traces.map((t) => [t.type, t.name, t.x, t.y, t.z, t.line && t.line.color]);
        (shown[id] = shown[id] || []).push([figure.firstChild.textContent, traces]);
      }
      return JSON.stringify(shown);"""
    shown = json.loads(browser.execute_script(script))
    return shown.get(section) if section else shown


def choose(browser, name, value):
    script = (
        "const s = document.querySelector(`select[name='${arguments[0]}'], input[type=range][name='${arguments[0]}']`)"
    )
    events = "for (const kind of ['input', 'change']) s.dispatchEvent(new Event(kind))"
    browser.execute_script(f"{script}; s.value = arguments[1]; {events}", name, value)


def options(browser, name):
    script = "return [...document.querySelectorAll(`select[name='${arguments[0]}'] option`)].map((o) => o.value)"
    return browser.execute_script(script, name)


def test_nothing_is_asked_of_the_network_and_no_script_fails(browser, page):
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    show(browser, page)
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    assert asked
    assert {url.partition(":")[0] for url in asked} <= {"file", "about", "data", "blob"}
    assert {url.partition("#")[0] for url in asked if url.startswith("file:")} == {page.as_uri()}


def test_every_chart_has_data(browser, page):
    show(browser, page)
    shown = drawn(browser)
    assert shown.keys() == SECTIONS
    for figures in shown.values():
        for caption, traces in figures:
            assert caption
            assert traces
            assert all(x or z for _, _, x, _, z, _ in traces)
    script = """
      const figures = [...document.querySelectorAll("figure")];
      return figures.filter((f) => !f.querySelector(".overplot path, .overplot image")).map((f) => f.innerText);"""
    assert browser.execute_script(script) == []


def test_names_that_look_like_html_are_shown_and_not_obeyed(browser, page):
    show(browser, page)  # an alert would have stopped it
    text = browser.execute_script("return document.querySelector('main').innerText")
    assert EVIL["environment"] in text
    assert EVIL["label"] in text
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    ticks = browser.execute_script("return [...document.querySelectorAll('#scores .ytick')].map((t) => t.textContent)")
    assert [tick for tick in ticks if tick.startswith("<img src=x")], ticks


SELECTORS = [
    ("mode", "curves"),
    ("mode", "risk"),
    ("figure", "curves"),
    ("band", "curves"),
    ("score", "scores"),
    ("risk", "risk"),
    ("heatmaps", "heatmaps"),
    ("returns", "returns"),
    ("learning-band", "learning"),
]


@pytest.mark.parametrize("name, section", SELECTORS)
def test_a_menu_changes_what_is_shown(browser, page, name, section):
    show(browser, page, within=f"#{section}")
    browser.get_log("browser")
    seen = []
    for value in options(browser, name):
        choose(browser, name, value)
        paint(browser, f"#{section}")
        seen.append(json.dumps(drawn(browser, section)))
    assert len({*seen}) == len(seen) > 1
    assert browser.get_log("browser") == []


def test_one_task_one_algorithm_and_smoothing(browser, page):
    show(browser, page, within="#curves")
    assert len(drawn(browser, "curves")) == 4
    choose(browser, "task", "Hopper-v4")
    ((caption, traces),) = drawn(browser, "curves")
    assert caption.startswith("Hopper-v4")
    assert [name for _, name, *_ in traces if name] == ["pacer-m-adaptive", "sac", "td3"]
    browser.execute_script("document.querySelector('input[name=not][value=sac]').click()")
    ((_, traces),) = drawn(browser, "curves")
    assert [name for _, name, *_ in traces if name] == ["pacer-m-adaptive", "td3"]
    choose(browser, "smooth", "11")
    ((_, smoothed),) = drawn(browser, "curves")
    assert smoothed[-1][3] != traces[-1][3]
    assert sum(abs(a - b) for a, b in zip(smoothed[-1][3], smoothed[-1][3][1:], strict=False)) < sum(
        abs(a - b) for a, b in zip(traces[-1][3], traces[-1][3][1:], strict=False)
    )
    browser.refresh()  # what was chosen is in the address
    paint(browser, "#curves")
    assert drawn(browser, "curves") == [[caption, smoothed]]


def test_the_keyboard_is_enough(browser, page):
    keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    show(browser, page, within="#curves")
    browser.execute_script("document.querySelector('select[name=mode]').focus()")
    browser.switch_to.active_element.send_keys(keys.ARROW_DOWN)
    assert "mode=sampled" in browser.current_url
    browser.switch_to.active_element.send_keys(keys.TAB, keys.SPACE)
    assert "not=" in browser.current_url


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_read_at_any_width_and_in_the_dark(browser, page, width, dark):
    show(browser, page, width, dark)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    wide = "return [...document.querySelectorAll('figure')].filter((f) => f.getBoundingClientRect().right > innerWidth)"
    assert browser.execute_script(f"{wide}.length") == 0
    small = """
      const sizes = [...document.querySelectorAll("main *")].filter((e) => e.innerText || e.closest("svg"));
      return Math.min(...sizes.map((e) => parseFloat(getComputedStyle(e).fontSize)));"""
    assert browser.execute_script(small) >= 11
    back = luminance(browser, "getComputedStyle(document.body).backgroundColor")
    assert (back < 0.05) is dark
    for text in ("body", ".note", "a", "#curves .xtick text", "#scores .ytick text", "#curves .ytitle"):
        property = "fill" if "#" in text else "color"
        ink = luminance(browser, f"getComputedStyle(document.querySelector('{text}')).{property}")
        assert (max(ink, back) + 0.05) / (min(ink, back) + 0.05) > 4.5, text


def luminance(browser, colour):
    """Relative luminance as WCAG has it."""
    parts = browser.execute_script(f"return {colour}.match(/[\\d.]+/g).map(Number)")[:3]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in parts)]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_54_runs_open(browser, tmp_path, tmp_path_factory):
    """How soon is for benchmarks/report.py to tell."""
    synthetic.grid(tmp_path)
    browser.get(written(tmp_path, tmp_path_factory).as_uri())
    until(lambda: browser.execute_script("return document.querySelectorAll('figure').length") > 20)


def test_a_watched_page_reads_itself_anew_and_keeps_what_was_chosen(browser, tmp_path):
    synthetic.grid(tmp_path / "runs", ("Hopper-v4", "Ant-v4"), ("sac", "td3"), 1, evaluations=5)
    output = tmp_path / "report.html"
    write(load([tmp_path / "runs"]), output, reload=1)
    show(browser, output, within="#curves")
    choose(browser, "task", "Hopper-v4")
    synthetic.write(tmp_path / "runs" / "more", "Hopper-v4", "ddpg", 0, evaluations=5)
    write(load([tmp_path / "runs"]), output)
    until(lambda: "5 runs" in browser.execute_script("return document.body.innerText"))
    ((_, traces),) = drawn(browser, "curves")
    assert [name for _, name, *_ in traces] == ["ddpg", "sac", "td3"]
