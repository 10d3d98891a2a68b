"""How long a report of 54 runs of 200 evaluations takes to write, what it weighs, and how soon a browser shows it.

    python benchmarks/report.py

Opening is timed where Chromium and Selenium are there: pip install 'pacer-rl[report,browser]'.
"""

import shutil
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pacer.reports.dataset import load
from pacer.reports.page import write

synthetic = import_module("tests.reports.synthetic")

OPENINGS = 5


def opening(page: Path) -> list[float]:
    """Seconds of each opening in a headless browser; none where there is none."""
    try:
        from selenium import webdriver
    except ImportError:
        return []
    options = webdriver.ChromeOptions()
    for word in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    seconds = []
    for _ in range(OPENINGS):
        browser.get("about:blank")
        started = time.perf_counter()
        browser.get(page.as_uri())
        seconds.append(time.perf_counter() - started)
    browser.quit()
    return seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        synthetic.grid(Path(folder) / "runs")
        page = Path(folder) / "report.html"
        started = time.perf_counter()
        write(load([Path(folder) / "runs"]), page)
        print(f"written in {time.perf_counter() - started:.1f} s, {page.stat().st_size / 1e6:.1f} MB")
        if seconds := opening(page):
            print(f"opened in {min(seconds):.1f} to {max(seconds):.1f} s")


if __name__ == "__main__":
    main()
