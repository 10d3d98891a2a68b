"""The promise as it ships: processes of their own, with XLA's flags as the command line sets them.

The other tests compile in a hurry (see tests/conftest.py), with flags that no user has.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.tiny_runs import newest, results

pytestmark = pytest.mark.xdist_group("shipped")
ROOT = Path(__file__).parents[2]
RUN = """
import pacer
assert pacer.use_one_thread()
import multiprocessing, os, signal, sys
from pathlib import Path
from tests.tiny_runs import once, train

def die():
    print(*(process.pid for process in multiprocessing.active_children()), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

train(Path(sys.argv[1]), observers=[once(int(sys.argv[2]), die)], envs=int(sys.argv[3]), env_workers=int(sys.argv[4]))
"""
NEVER = 1_000


def process(folder, kill_at=NEVER, envs=1, env_workers=0):
    """A run in a process of its own, killed after the block that reaches a step."""
    ours = {"XLA_FLAGS", "NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}
    return subprocess.run(
        [sys.executable, "-c", RUN, *map(str, (folder, kill_at, envs, env_workers))],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name not in ours},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def lives(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """What a run of several environments leaves that nothing disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    ended = process(folder, envs=4)
    assert ended.returncode == 0, ended.stderr
    return results(folder)


@pytest.mark.slow
def test_another_process_gives_equal_bytes_and_so_do_workers(unbroken, tmp_path):
    ended = process(tmp_path, envs=4, env_workers=2)
    assert ended.returncode == 0, ended.stderr
    assert results(tmp_path) == unbroken


@pytest.mark.slow
def test_a_run_that_was_killed_takes_its_workers_along_and_ends_with_the_bytes_of_one_that_was_not(unbroken, tmp_path):
    killed = process(tmp_path, kill_at=80, envs=4, env_workers=2)
    assert killed.returncode == -signal.SIGKILL
    assert newest(tmp_path).name == "50"
    workers = [int(pid) for pid in killed.stdout.split()]
    assert len(workers) == 2
    patience = time.monotonic() + 20
    while any(map(lives, workers)) and time.monotonic() < patience:
        time.sleep(0.05)
    assert not any(map(lives, workers))
    resumed = process(tmp_path, envs=4)
    assert resumed.returncode == 0, resumed.stderr
    assert results(tmp_path) == unbroken
