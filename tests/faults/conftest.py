"""What was injected, how often, and what came of it: collected by the tests of faults, and printed at the end."""

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.hostile import CRASHED, ODD, SECONDS, SLOW
from tests.faults.nursery import Nursery
from tests.faults.ordeal import LOST, OTHER

ROWS = pytest.StashKey()
PEAKS = pytest.StashKey()


@pytest.fixture
def ledger(request, record_property):
    """`ledger(attack, outcome)` counts; printed when all is over, also where tests run in several processes."""

    def count(attack, outcome, times=1):
        record_property("fault", (attack, outcome, times))

    return count


def pytest_configure(config):
    config.stash[ROWS], config.stash[PEAKS] = Counter(), [0]
    config.pluginmanager.register(Summary(config), "faults-summary")


class Summary:
    def __init__(self, config):
        self._config = config

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            for name, value in report.user_properties:
                if name == "fault":
                    *row, times = value
                    self._config.stash[ROWS][tuple(row)] += times
                elif name == "memory":
                    self._config.stash[PEAKS].append(value)

    def pytest_terminal_summary(self, terminalreporter):
        if rows := self._config.stash[ROWS]:
            terminalreporter.section("faults: what was injected, and what came of it")
            for (attack, outcome), count in sorted(rows.items()):
                terminalreporter.write_line(f"{count:6,}  {attack:52} {outcome}")
            for line in _totals(rows, max(self._config.stash[PEAKS])):
                terminalreporter.write_line(line)


def _totals(rows, peak):
    if kills := _of("killed", rows):
        yield f"{kills.total():,} kills: {kills[LOST]} runs lost, {kills[OTHER]} that ended with other bytes"
    if files := _of("hostile", rows):
        wrong = f"{files[CRASHED]} crashes, {files[SLOW]} hangs over {SECONDS} s, {files[ODD]} unexpected exceptions"
        yield f"{files.total():,} hostile files: {wrong}, {peak / 1e6:,.0f} MB of memory at most"


def _of(kind, rows):
    """Outcomes of the attacks of a kind."""
    outcomes = Counter()
    for (attack, outcome), count in rows.items():
        if attack.startswith(kind):
            outcomes[outcome] += count
    return outcomes


@pytest.fixture(scope="session")
def nursery():
    opened = Nursery()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def shimmed(tmp_path_factory):
    """A nursery whose runs can be failed by their disk."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).with_name("shim.c")
    made = subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=False)
    if made.returncode:
        pytest.skip("the shim cannot be compiled here")
    opened = Nursery(preload=library)
    yield opened
    opened.close()
