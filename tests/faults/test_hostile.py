"""Files of strangers: refused in words, or read; nothing else, and soon."""

from collections import Counter

import pytest

from pacer.runs.reader import PROGRESS, TIMINGS
from tests.faults import hostile
from tests.formats.store import HERE
from tests.tiny_runs import train

pytestmark = pytest.mark.xdist_group("agent")
SECONDS = 5  # that no file may take


@pytest.fixture(scope="module")
def agent():
    return sorted(HERE.glob("*/pacer-m-adaptive"))[-1]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run that learned nothing, and so compiled nothing."""
    folder = tmp_path_factory.mktemp("run") / "run"
    train(folder, environment="Pendulum-v1", steps=60, learn_after=100, evaluation_episodes=1)
    for name in ("progress.csv", "timings.csv"):
        columns = {"progress.csv": PROGRESS, "timings.csv": TIMINGS}[name]
        (folder / name).write_text("\n".join([",".join(columns), *["20" + ",1" * (len(columns) - 1)] * 3]) + "\n")
    return folder


def outcomes(read, spoilt, folder):
    counts = Counter()
    for what in spoilt:
        try:
            how, _, seconds = hostile.outcome(read, folder)
        except Exception as error:
            raise AssertionError(f"{what} led to {error!r}") from error
        assert seconds < SECONDS, what
        counts[how] += 1
    return counts


def tell(ledger, what, counts):
    for how, count in counts.items():
        for _ in range(count):
            ledger(what, how)


def test_agents(agent, tmp_path):
    counts = outcomes(hostile.read_agent, hostile.agents(agent, tmp_path, range(200)), tmp_path)
    assert 150 < counts["refused"] < 200


def test_runs(run, tmp_path):
    counts = outcomes(hostile.read_run, hostile.runs(run, tmp_path, range(60)), tmp_path)
    assert 20 < counts["refused"] < 55


@pytest.mark.faults
def test_thousands_of_agents(agent, tmp_path, ledger):
    counts = outcomes(hostile.read_agent, hostile.agents(agent, tmp_path, range(1_000, 7_000)), tmp_path)
    assert counts["refused"] > 5_000
    tell(ledger, "hostile agents", counts)


@pytest.mark.faults
def test_thousands_of_runs(run, tmp_path, ledger):
    counts = outcomes(hostile.read_run, hostile.runs(run, tmp_path, range(1_000, 5_000)), tmp_path)
    assert counts["refused"] > 1_500
    tell(ledger, "hostile runs", counts)
