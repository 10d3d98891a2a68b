"""Output that may go away, signals from the first line on, and users without a home."""

import io
import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import pacer_launcher
from pacer.errors import EnvironmentFailed
from pacer.runtime import cache_folder
from pacer.streams import Lasting
from pacer.training.stopping import Interrupted, tidying


def test_a_stream_that_fails_goes_silent():
    reading, written = os.pipe()
    os.close(reading)
    with open(written, "w", encoding="utf-8") as pipe:
        stream = Lasting(pipe)
        assert stream.write("a line\n") == 7
        stream.flush()  # nobody reads it: what is in the buffer is gone
        stream.write("another\n")
        stream.flush()
        assert stream.encoding == "utf-8"


def test_a_stream_without_a_descriptor_is_left_as_it_is():
    stream = Lasting(io.StringIO())
    print("a line", file=stream, flush=True)
    assert stream.getvalue() == "a line\n"


@pytest.mark.parametrize(
    "lasting, number, code",
    [
        (False, signal.SIGINT, 130),
        (True, signal.SIGTERM, 143),
        (False, signal.SIGHUP, 129),
        (True, signal.SIGHUP, 0),  # a run begins though its terminal is gone
    ],
)
def test_signals_are_answered_before_anything_is_imported(lasting, number, code):
    lines = [
        "import os, signal, sys, pacer_launcher as p",
        f"signal.signal({number:d}, signal.SIG_DFL); p.answer_signals({lasting})",
        f"assert not {{'pacer', 'typing', 'jax'}} & set(sys.modules); os.kill(os.getpid(), {number:d})",
    ]
    run = subprocess.run(
        [sys.executable, "-S", "-c", "\n".join(lines)],
        env={**os.environ, "PYTHONPATH": str(Path(pacer_launcher.__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (code, "")


def test_what_has_something_to_tidy_up_is_told_of_a_signal_once():
    before, handlers = signal.getsignal(signal.SIGTERM), []

    def work():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            handlers.append(signal.getsignal(signal.SIGTERM))

    with pytest.raises(Interrupted) as interrupted, tidying():
        work()
    assert interrupted.value.exit_code == 143
    assert handlers == [before]  # a second one is answered as ever


def test_a_user_without_a_home_keeps_nothing_compiled(monkeypatch):
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def unknown(number):
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert cache_folder() is None
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/pacer")


def test_an_environments_traceback_comes_before_the_line_that_tells_of_it(monkeypatch, tmp_path):
    from pacer import cli
    from pacer.commands import list as command

    def fail(arguments):
        error = EnvironmentFailed("Own-v0 failed", "Traceback: its own\n")
        error.add_note("And the disk is full.")
        raise error

    monkeypatch.setattr(command, "main", fail)
    monkeypatch.setattr(cli, "outlast_streams", lambda: None)
    with pytest.raises(SystemExit) as end:
        cli.run("list", [])
    assert end.value.code == "Traceback: its own\npacer: Own-v0 failed And the disk is full."
