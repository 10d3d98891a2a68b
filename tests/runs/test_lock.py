"""The lock of a run folder: one writer, however its process ends and whatever it leaves behind."""

import fcntl
import importlib
import os
import signal
import subprocess
import sys

import pytest

from pacer.errors import PacerError
from pacer.runs import lock

HOLD = "import sys; from pathlib import Path; from pacer.runs import lock; held = lock.take(Path(sys.argv[1])); "
WAIT = "print(os.getpid(), flush=True); sys.stdin.read()"


@pytest.fixture
def process():
    """Processes that hold a lock, each with the number it prints; whatever is left of them is ended."""
    started = []

    def start(folder, code):
        child = subprocess.Popen(
            [sys.executable, "-c", f"import os; {HOLD}{code}", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(child)
        return child, int(child.stdout.readline())

    yield start
    for child in started:
        child.stdin.close()
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_second_writer_is_refused_with_the_name_of_the_first_and_let_in_after_it(tmp_path, process):
    child, number = process(tmp_path, WAIT)
    assert lock.held(tmp_path)
    with pytest.raises(PacerError, match=rf"in use by another run \(process {number} on .*\): wait, or name another"):
        lock.take(tmp_path)
    child.kill()
    child.wait()
    assert not lock.held(tmp_path)
    mine = lock.take(tmp_path)
    assert lock.held(tmp_path)
    mine.close()
    assert not lock.held(tmp_path)


def test_a_forked_child_that_outlives_the_run_does_not_keep_the_folder_locked(tmp_path, process):
    child, number = process(tmp_path, f"os.fork() and os.kill(os.getpid(), {signal.SIGKILL:d}); {WAIT}")
    child.wait()
    assert number != child.pid
    assert not lock.held(tmp_path)
    lock.take(tmp_path).close()


def test_a_child_that_inherited_the_lock_all_the_same_is_named(tmp_path, process):
    """As code that is not Python's can have it."""
    fork = "held._file.fileno() and lock._descriptors.clear(); "
    child, number = process(tmp_path, f"{fork}os.fork() and os.kill(os.getpid(), {signal.SIGKILL:d}); {WAIT}")
    child.wait()
    assert not lock.held(tmp_path)  # no run does, so it is shown as interrupted
    said = rf"held by process {number}, which process {child.pid} on .* left behind .*: end it \(kill {number}\)"
    with pytest.raises(PacerError, match=said):
        lock.take(tmp_path)


@pytest.fixture
def no_locks(monkeypatch):
    """A file system on which locking does nothing."""
    monkeypatch.setattr(fcntl, "flock", lambda file, kind: None)


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_living_writer_on_this_machine_is_still_seen(tmp_path, process):
    mine = lock.take(tmp_path)
    assert lock.held(tmp_path)
    with pytest.raises(PacerError, match=rf"in use by another run \(process {os.getpid()} on"):
        lock.take(tmp_path)
    mine.close()
    lock.take(tmp_path).close()


@pytest.mark.usefixtures("no_locks")
def test_without_locks_the_one_who_is_taken_over_stops(tmp_path):
    """As from another machine, of which nobody here knows whether it lives."""
    mine = lock.take(tmp_path)
    mine.check()
    (tmp_path / lock.NAME).write_text("process 7 on elsewhere, started 1, token abcdef")
    with pytest.raises(lock.TakenOver, match="was taken over by process 7 on elsewhere, which does not see the lock"):
        mine.check()
    mine.close()
    assert "elsewhere" in (tmp_path / lock.NAME).read_text()  # the other's name stays


def test_where_there_are_no_such_locks_that_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.delitem(sys.modules, "pacer.runs.lock")
    with pytest.raises(PacerError, match="locks that Windows does not have: use pacer in WSL"):
        importlib.import_module("pacer.runs.lock")
