"""Runs side by side on this machine: done, skipped, failed, stopped, killed, and continued."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pacer.experiments import memory
from pacer.experiments.board import Board
from pacer.experiments.local import Pool, run_here
from pacer.experiments.plan import Choices, plan
from pacer.runs import lock
from pacer.runs.files import save_json
from tests.experiments.sweeps import bench, command, finished, write_sweep


@pytest.mark.slow
def test_a_run_that_fails_is_told_and_the_others_are_done(tmp_path):
    sweep = write_sweep(tmp_path, "Slow-v0", "Breaks-v0")
    first = bench(tmp_path, sweep, "--only-seed", 0)
    assert first.returncode == 1
    assert "1 of 2 runs done, 1 failed; 200 of 400 steps" in first.stdout
    assert "1 of 2 runs failed" in first.stderr
    assert "the simulator fell over" in first.stderr
    assert "Traceback" not in first.stderr
    (done,) = finished(tmp_path)
    assert done.startswith("runs/Slow-v0/tiny-")
    assert not (tmp_path / f"{done}.log").exists()  # that of the failed run is kept
    assert len(list(tmp_path.rglob("seed0.log"))) == 1


@pytest.mark.slow
def test_all_seeds_in_one_block(tmp_path):
    """With a cell whose runs fail, and a second call that continues what there is."""
    sweep = write_sweep(tmp_path, "Slow-v0", "Breaks-v0")
    first = bench(tmp_path, sweep, "--on", "vmap")
    assert first.returncode == 1
    assert "2 of 4 runs failed" in first.stderr
    assert "the simulator fell over" in first.stderr
    assert "Traceback" not in first.stderr
    done = finished(tmp_path)
    assert len(done) == 2
    assert all(folder.startswith("runs/Slow-v0/tiny-") for folder in done)
    assert bench(tmp_path, sweep, "--on", "vmap", "--only-env", "Slow-v0").returncode == 0
    assert finished(tmp_path) == done


def test_what_is_done_is_left_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("pacer.experiments.local.Child", None)  # no process is started
    jobs = plan(Choices("quick", runs=tmp_path))
    for job in jobs:
        job.folder.mkdir(parents=True)
        save_json(job.folder / "DONE", {"steps": 5_000})
    assert run_here(jobs, [], 2) == {}
    assert not plan(Choices("quick", steps=6_000, runs=tmp_path))[0].done()
    assert not plan(Choices("quick", insight=True, runs=tmp_path))[0].done()


@pytest.fixture
def whole(tmp_path):
    """An experiment that nothing came between."""
    folder = tmp_path / "whole"
    folder.mkdir()
    told = bench(folder, write_sweep(tmp_path, "Slow-v0"))
    assert told.returncode == 0, told.stderr
    return finished(folder)


def started(folder, sweep):
    """The command, when both its runs have a checkpoint."""
    folder.mkdir()
    process = subprocess.Popen(
        command(sweep, "--processes", 2), cwd=folder, env={**os.environ, "PACER_TEST_SLEEP": "0.03"}
    )
    wait_for(lambda: len(list(folder.rglob("checkpoint/50"))) == 2)
    return process


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_experiment_that_is_stopped_or_killed_goes_on_to_the_same_bytes(tmp_path, whole, number):
    folder = tmp_path / "stopped"
    process = started(folder, tmp_path / "sweep.py")
    process.send_signal(number)
    assert process.wait(60) == (-number if number == signal.SIGKILL else 128 + number)
    assert not finished(folder)
    again = bench(folder, tmp_path / "sweep.py")  # at once: it waits for runs that are still about to end
    assert again.returncode == 0, again.stderr
    assert finished(folder) == whole


@pytest.mark.slow
def test_runs_whose_parent_is_killed_save_where_they_are(tmp_path, whole):
    folder = tmp_path / "orphans"
    started(folder, tmp_path / "sweep.py").kill()
    runs = [path.parent for path in folder.rglob("config.json")]
    wait_for(lambda: not any(lock.held(run) for run in runs))
    assert all('"stopped"' in (run / "run.json").read_text("utf-8") for run in runs)


@pytest.mark.slow
def test_a_run_that_is_killed_is_reported_and_continued_by_the_same_command(tmp_path, whole):
    folder = tmp_path / "lost"
    process = started(folder, tmp_path / "sweep.py")
    holder = next(folder.rglob(".lock")).read_text("utf-8").split()[1]
    os.kill(int(holder), signal.SIGKILL)
    assert process.wait(120) == 1
    assert len(finished(folder)) == 1
    assert bench(folder, tmp_path / "sweep.py").returncode == 0
    assert finished(folder) == whole


class Process:
    """Stands for a child that runs until it is stopped."""

    def __init__(self, job, words):
        self.job, self.pid, self.stopped = job, 1000 + job.number, False

    def ended(self):
        return self.stopped

    def stop(self):
        self.stopped = True

    def error(self):
        return "stopped"


@pytest.fixture
def pool(tmp_path, monkeypatch):
    monkeypatch.setattr("pacer.experiments.local.Child", Process)
    monkeypatch.setattr(memory, "peak", lambda pid: 3 * memory.GIGABYTE)
    jobs = plan(Choices("quick", runs=tmp_path))
    return Pool(jobs, [], 4, Board(jobs, 4))


def test_no_run_is_started_that_memory_has_no_room_for(pool, monkeypatch, capsys):
    monkeypatch.setattr(memory, "available", lambda: 2 * memory.GIGABYTE)
    for _ in range(5):
        pool.attend()
    assert len(pool.running) == 1
    assert capsys.readouterr().out.count("no further run is started") == 1
    monkeypatch.setattr(memory, "available", lambda: 4 * memory.GIGABYTE)
    pool.attend()
    assert len(pool.running) == 2


def test_where_memory_runs_out_the_youngest_run_waits(pool, monkeypatch, capsys):
    monkeypatch.setattr(memory, "available", lambda: 9 * memory.GIGABYTE)
    for _ in range(3):
        pool.attend()
    monkeypatch.setattr(memory, "available", lambda: memory.GIGABYTE // 4)
    for _ in range(3):
        pool.attend()
    assert [child.job.number for child in pool.running] == [0]
    assert not pool.failures
    assert "set aside" in capsys.readouterr().out


def test_memory_is_known_here():
    assert memory.available() > memory.GIGABYTE // 10
    assert memory.peak(os.getpid()) > 1 << 20
    assert memory.peak(2**30) is None


def test_a_folder_in_use_is_waited_for(pool, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(memory, "available", lambda: None)
    job = pool._waiting[0]
    held = lock.take(Path(job.folder))
    for _ in range(9):
        pool.attend()
    assert job.number not in [child.job.number for child in pool.running]
    assert "is in use by another process" in capsys.readouterr().out
    held.close()
    pool.running.pop()
    pool.attend()
    assert pool.running[-1].job is job
