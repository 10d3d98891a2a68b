"""Files of strangers: refused in words, or read; nothing else, and soon."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pacer.runs.reader import PROGRESS, TIMINGS
from tests.faults import hostile
from tests.formats.store import HERE
from tests.tiny_runs import train

pytestmark = pytest.mark.xdist_group("agent")
ROOT = Path(__file__).parents[2]


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


def check(counts, wrong):
    assert not wrong, f"{len(wrong)} files had an outcome that must not be: {wrong[:5]}"
    assert counts.keys() <= {"refused", "accepted"}


def test_agents(agent, tmp_path):
    counts, wrong = hostile.outcomes(hostile.read_agent, hostile.agents(agent, tmp_path, range(200)), tmp_path)
    check(counts, wrong)
    assert 150 < counts["refused"] < 200


def test_runs(run, tmp_path):
    counts, wrong = hostile.outcomes(hostile.read_run, hostile.runs(run, tmp_path, range(60)), tmp_path)
    check(counts, wrong)
    assert 20 < counts["refused"] < 55


@pytest.mark.faults
@pytest.mark.parametrize("kind, seeds, refused", [("agents", 6_000, 5_000), ("runs", 4_000, 1_500)])
def test_thousands(agent, run, tmp_path, ledger, record_property, kind, seeds, refused):
    good = {"agents": agent, "runs": run}[kind]
    words = [kind, good, tmp_path, 1_000, 1_000 + seeds]
    read = subprocess.run(
        [sys.executable, "-m", "tests.faults.hostile", *map(str, words)], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    if read.returncode:
        ledger(f"hostile {kind}", hostile.CRASHED if read.returncode != -signal.SIGALRM else hostile.SLOW)
    assert read.returncode == 0
    found = json.loads(read.stdout)
    for how, count in found["counts"].items():
        ledger(f"hostile {kind}", how, count)
    record_property("memory", found["memory"])
    check(found["counts"], found["wrong"])
    assert found["counts"]["refused"] > refused
    assert found["memory"] < 1e9
