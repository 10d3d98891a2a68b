"""Interruptions of every kind, after which a run ends with the bytes of one that had none."""

import os
import shutil
import signal
from pathlib import Path

import pytest

import pacer
from pacer.observers import Warned
from pacer.runs.files import load_json
from pacer.runtime import processor
from pacer.training.stopping import Stopped
from tests.tiny_runs import STEPS, newest, once, results, send, stop_at, told, train

pytestmark = pytest.mark.xdist_group("training")


def status(folder):
    return load_json(folder / "run.json")["status"]


def test_the_world_is_as_before_after_every_stop(unbroken, tmp_path):
    """A stop after every single block: at evaluations, snapshots and checkpoints, within and between episodes."""
    for step in range(10, STEPS, 10):
        stop_at(tmp_path, step)
        assert newest(tmp_path).name == str(step)
        assert status(tmp_path) == "stopped"
    train(tmp_path)
    assert results(tmp_path) == unbroken
    facts = load_json(tmp_path / "run.json")
    assert (facts["status"], facts["bit_exact"]) == ("finished", True)


def test_a_run_that_goes_on_on_another_processor_says_so_and_is_not_bit_exact(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("pacer.runtime.processor", lambda: "another")
        stop_at(tmp_path, 30)
    facts = load_json(tmp_path / "run.json")
    assert facts["processor"] == "another"
    warnings = []
    train(tmp_path, observers=[told(Warned, warnings)])
    assert [w.message for w in warnings] == [
        f"the run is no longer bit-exact: it goes on with another processor (another there, {processor()} here)"
    ]
    assert load_json(tmp_path / "run.json")["bit_exact"] is False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_with_its_code_and_leaves_the_handlers_as_they_were(number, tmp_path):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped) as stopped:
        train(tmp_path, observers=[once(30, lambda: send(number))])
    assert stopped.value.exit_code == 128 + number
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert newest(tmp_path).name == "30"
    assert pacer.load(tmp_path).space == (3, 2)


def test_a_stop_does_not_wait_for_an_evaluation_and_the_next_start_makes_up_for_it(unbroken, tmp_path):
    stop_at(tmp_path, STEPS)
    assert not (tmp_path / "DONE").exists()
    assert b"\n200," not in (tmp_path / "evaluations.csv").read_bytes()
    train(tmp_path)
    assert results(tmp_path) == unbroken


@pytest.fixture
def handled():
    """The signals as an interpreter has them, whatever started this one."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_second_signal_loses_nothing_that_a_checkpoint_could_keep(unbroken, tmp_path):
    stop_at(tmp_path, 80, signals=(signal.SIGINT, signal.SIGINT))
    assert (newest(tmp_path).name, status(tmp_path)) == ("80", "stopped")
    train(tmp_path)
    assert results(tmp_path) == unbroken


@pytest.mark.usefixtures("handled")
def test_a_third_signal_is_the_programs_own_and_loses_only_what_came_after_the_checkpoint(unbroken, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, observers=[once(80, lambda: send(*[signal.SIGINT] * 3))])
    assert (newest(tmp_path).name, status(tmp_path)) == ("50", "stopped")
    train(tmp_path)
    assert results(tmp_path) == unbroken


@pytest.mark.usefixtures("handled")
def test_a_terminal_that_goes_away_is_a_reason_to_save_and_none_to_stop(unbroken, tmp_path):
    found = []
    train(tmp_path, observers=[once(70, lambda: send(signal.SIGHUP)), once(80, lambda: found.append(newest(tmp_path)))])
    assert [checkpoint.name for checkpoint in found] == ["70"]
    assert results(tmp_path) == unbroken
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


class PowerCut(BaseException):
    pass


def cut_power(monkeypatch, call):
    """Nothing is written after this many calls that make something last; how many there were."""
    calls = []

    def guarded(original):
        def maybe(*arguments, **options):
            if len(calls) == call:
                raise PowerCut
            calls.append(original.__name__)
            return original(*arguments, **options)

        return maybe

    monkeypatch.setattr(os, "fsync", guarded(os.fsync))
    monkeypatch.setattr(os, "replace", guarded(os.replace))
    monkeypatch.setattr(os, "truncate", guarded(os.truncate))
    monkeypatch.setattr(Path, "rename", guarded(Path.rename))
    monkeypatch.setattr(shutil, "rmtree", guarded(shutil.rmtree))
    return calls


@pytest.mark.slow
def test_a_power_cut_at_any_write_loses_nothing_that_matters(unbroken, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        total = len(cut_power_free_run(tmp_path / "counted", patch))
    assert total > 60
    survived = 0
    for number, call in enumerate(range(1, total, 7)):
        folder = tmp_path / str(number)
        for again in (call, 4):  # once in the run, once more soon after it began to resume
            with monkeypatch.context() as patch:
                cut_power(patch, again)
                with pytest.raises(PowerCut):
                    train(folder)
        train(folder)
        assert results(folder) == unbroken, f"cut at write {call} of {total}"
        survived += 1
    assert survived > 8


def cut_power_free_run(folder, patch):
    calls = cut_power(patch, call=-1)
    train(folder)
    return calls
