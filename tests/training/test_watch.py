"""Environments that hang, and those whose own errors must be heard: the run ends, with what it had learned."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from pacer.errors import EnvironmentFailed, PacerError
from pacer.observers import Warned
from pacer.runs.files import load_json
from pacer.runs.lock import TakenOver
from pacer.training import watch as module
from pacer.training.stopping import Stopped
from pacer.training.trial import unrepeated
from pacer.training.watch import Leave, Watch
from pacer.training.workers import Workers
from pacer.training.world import World
from tests.tiny_runs import everything, newest, once, results, send, told, train
from tests.worlds import Drift, Faulty

pytestmark = pytest.mark.xdist_group("training")
ACTION = np.zeros(2, np.float32)


def status(folder):
    return load_json(folder / "run.json")["status"]


def hang(*_):
    """Waits for what never comes, in a way that a signal interrupts but does not end."""
    threading.Event().wait()


def terminate_and_hang(*_):
    os.kill(os.getpid(), signal.SIGTERM)
    hang()


class Hangs(Drift):
    """A Drift whose steps never return; like all here, workers can import it."""

    def step(self, action):
        time.sleep(1_000)


@pytest.mark.usefixtures("untried")
def test_a_step_that_hangs_is_named_and_the_run_ends_with_what_it_had(unbroken, tmp_path):
    with pytest.raises(
        PacerError, match=r"^step\(array.*\) of Drift-v0 at step 87 of training \(episode \d+\) did not "
    ):
        train(tmp_path, make=lambda: Faulty(hang, step=87), step_timeout=0.2)
    assert (newest(tmp_path).name, status(tmp_path)) == ("80", "failed")
    train(tmp_path)  # the world was mended
    assert results(tmp_path) == unbroken


@pytest.mark.usefixtures("untried")
def test_a_signal_is_obeyed_though_the_environment_hangs(unbroken, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "GRACE", 0.1)
    with pytest.raises(Stopped):
        train(tmp_path, make=lambda: Faulty(terminate_and_hang, step=87))
    assert (newest(tmp_path).name, status(tmp_path)) == ("80", "stopped")
    train(tmp_path)
    assert results(tmp_path) == unbroken


@pytest.mark.usefixtures("untried")
def test_a_second_signal_does_not_wait_for_a_step_that_hangs_and_saves_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "GRACE", 1_000)

    def interrupt_twice_and_hang(*_):
        send(signal.SIGINT, signal.SIGINT)
        hang()

    with pytest.raises(Stopped):
        train(tmp_path, make=lambda: Faulty(interrupt_twice_and_hang, step=87))
    assert (newest(tmp_path).name, status(tmp_path)) == ("80", "stopped")


@pytest.mark.usefixtures("untried")
def test_a_signal_during_an_evaluation_does_not_wait_for_its_end(unbroken, tmp_path):
    def terminate(obs, reward):
        os.kill(os.getpid(), signal.SIGTERM)
        return obs, reward

    examined = Faulty(terminate, step=3)
    worlds = iter([Drift(), examined])
    with pytest.raises(Stopped):
        train(tmp_path, make=lambda: next(worlds))
    assert examined.steps == 3
    assert newest(tmp_path).name == "50"
    assert not (tmp_path / "evaluations.csv").exists()
    train(tmp_path)
    assert results(tmp_path) == unbroken


def test_a_world_that_hangs_while_it_is_made_or_reset_does_not_hold_up_a_signal(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "GRACE", 0.1)

    class Slow(Drift):
        def reset(self, *, seed=None, options=None):
            terminate_and_hang()

    for make in (terminate_and_hang, Slow):
        with pytest.raises(Stopped):
            train(tmp_path, make=make)


@pytest.mark.slow
def test_a_worker_that_hangs_is_named(tmp_path):
    watch = Watch(limit=0.2)
    with watch.on_duty():
        worlds = Workers(Hangs, "Own-v0", 2, 1)
        worlds._watch = watch  # which would not wait for the workers' start
        try:
            worlds.call([(0, "reset", (0, "here"))])
            with pytest.raises(Leave):
                worlds.call([(0, "step", (ACTION, "step 7 of training"))])
        finally:
            for process in worlds._processes:
                process.kill()
            worlds.close()
    assert str(watch.explain()).startswith(
        "step() of Own-v0 in process 0 at step 7 of training did not return in 0.2 s"
    )


def test_a_limit_needs_the_main_thread_and_a_number_above_zero():
    with pytest.raises(PacerError, match="step_timeout is 0: expected a number of seconds above 0"):
        Watch(0)
    said = []

    def elsewhere():
        with pytest.raises(PacerError, match="works in the main thread only"), Watch(1).on_duty():
            pass
        with Watch().on_duty():  # without a limit there is nothing that would need it
            said.append("done")

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert said == ["done"]


def test_the_environments_error_is_told_with_its_traceback():
    def fall(obs, reward):
        raise RuntimeError("the simulator fell over")

    world = World(lambda: Faulty(fall, step=1), "Own-v0")
    world.reset(0, "here")
    with pytest.raises(EnvironmentFailed) as failed:
        world.step(ACTION, "here")
    assert "in fall" in failed.value.trace
    assert failed.value.trace.endswith("RuntimeError: the simulator fell over\n")


class Grumbles(Drift):
    def close(self):
        raise RuntimeError("no goodbye")


def test_a_close_that_raises_is_a_warning_after_a_finished_run(tmp_path):
    warnings = []
    train(tmp_path, make=Grumbles, steps=20, observers=[told(Warned, warnings)])
    assert (tmp_path / "DONE").exists()
    assert status(tmp_path) == "finished"
    said = "Drift-v0 failed in close(): RuntimeError('no goodbye'). What was learned is kept"
    assert warnings == [Warned(said)]


@pytest.mark.usefixtures("untried")
def test_neither_a_close_that_raises_nor_a_full_disk_hides_the_environments_error(tmp_path, monkeypatch):
    class Worst(Grumbles, Faulty):
        def __init__(self):
            Faulty.__init__(self, self.fall, step=15)

        def fall(self, obs, reward):
            monkeypatch.setattr(os, "fsync", full)
            raise RuntimeError("the simulator fell over")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with pytest.raises(EnvironmentFailed, match="the simulator fell over") as failed:
        train(tmp_path, make=Worst)
    assert any("could not be saved" in note for note in failed.value.__notes__)


@pytest.mark.usefixtures("untried")
def test_an_environment_cannot_end_the_run_by_leaving(unbroken, tmp_path):
    def leave(obs, reward):
        raise SystemExit(0)

    with pytest.raises(PacerError, match=r"failed in step\(.*\) at step 87 of training .*: SystemExit\(0\)"):
        train(tmp_path, make=lambda: Faulty(leave, step=87))
    assert (newest(tmp_path).name, status(tmp_path)) == ("80", "failed")


class Unprintable(Exception):
    def __repr__(self):
        raise RuntimeError("no words")

    __str__ = __repr__


def unprintable(obs, reward):
    raise Unprintable


class Spiteful:
    def __array__(self, *_, **__):
        raise SystemExit("never")


@pytest.mark.parametrize(
    "fault, message",
    [
        (unprintable, "<Unprintable that cannot be printed>"),
        (lambda o, r: ([1.0, [2.0], 3.0], r), r"an observation that is no array from step at here \(ValueError"),
        (lambda o, r: (Spiteful(), r), r"an observation that is no array from step at here \(SystemExit\('never'\)\)"),
        (lambda o, r: (o, 10**400), r"returned reward 10{299}\.\.\. at here: expected a finite number"),
        (lambda o, r: (o, Unprintable()), "returned reward <Unprintable that cannot be printed> at here"),
        (lambda o, r: (o, 1 + 2j), r"returned reward \(1\+2j\) at here"),
        (lambda o, r: (o, np.complex64(1)), r"returned reward .* at here: expected a finite number"),
    ],
)
def test_hostile_answers_are_named_like_the_others(fault, message):
    world = World(lambda: Faulty(fault, step=1), "Own-v0")
    world.reset(0, "here")
    with pytest.raises(PacerError, match=message):
        world.step(ACTION, "here")


class Restless(Drift):
    """Repeats its observations, but not its rewards."""

    def step(self, action):
        obs, reward, *ends, info = super().step(action)
        return obs, reward + time.monotonic(), *ends, info


def test_a_trial_finds_what_does_not_repeat_itself():
    assert unrepeated(World(Drift, "Own-v0"), seed=0) is None
    assert unrepeated(World(Restless, "Own-v0"), seed=0) == "another reward after 1 steps of episode 0"


def test_a_run_that_is_taken_over_writes_nothing_more(tmp_path):
    def take_over():
        (tmp_path / ".lock").write_text("process 7 on elsewhere, started 1, token abcdef")
        found.append(everything(tmp_path))

    found = []
    with pytest.raises(TakenOver, match="process 7 on elsewhere"):
        train(tmp_path, observers=[once(60, take_over)])
    assert [everything(tmp_path)] == found
