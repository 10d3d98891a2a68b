"""Signals at any moment of a command, terminals that go away, and environments that hang: always an orderly end."""

import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pacer.runs.reader import Run
from tests.commands.test_cli import SMALL
from tests.faults.nursery import LONGEST
from tests.tiny_runs import newest

pytestmark = pytest.mark.faults
ROOT = Path(__file__).parents[2]
SCRIPT = "from pacer_launcher import main; main()"  # what the console script does
TELLING = f"import os; os.write(1, b'.'); {SCRIPT}"  # and says first that the interpreter is up
VARIABLES = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]), "TERM": "xterm"}


def command(folder, *words, env="tests.worlds:Drift-v0", steps=100_000, script=SCRIPT):
    return [
        *(sys.executable, "-c", script, "train", "--env", env, "--steps", str(steps), "--run-dir", str(folder)),
        *SMALL[4:],
        *words,
    ]


def start(folder, *words, **options):
    process = subprocess.Popen(
        command(folder, *words, script=TELLING, **options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=VARIABLES,
        cwd=ROOT,
    )
    assert process.stdout.read(1) == b"."
    return process


def orderly(process, *codes):
    said = process.communicate(timeout=LONGEST)
    assert process.returncode in codes, (process.returncode, said)
    assert b"Traceback" not in said[1], said
    assert b"Error" not in said[1], said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_moment_of_the_start_ends_it_without_a_traceback(tmp_path, ledger, number):
    rng = np.random.default_rng(number)
    for moment in range(15):
        process = start(tmp_path / str(moment))
        time.sleep(rng.uniform(0, 6))
        process.send_signal(number)
        orderly(process, 128 + number)
        ledger(f"{number.name} while starting", f"exit {128 + number}, no traceback")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_while_leaving_leaves_no_traceback(tmp_path, ledger, number):
    rng = np.random.default_rng(number)
    for _ in range(3):
        process = start(tmp_path)  # the same run, which goes on
        assert process.stdout.readline()  # an evaluation: the run goes
        process.send_signal(number)
        time.sleep(rng.uniform(0, 0.3))
        process.send_signal(number)
        orderly(process, 128 + number)
        ledger(f"{number.name} twice", f"exit {128 + number}, no traceback")


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, arguments):
        self.pid, self._screen = pty.fork()
        if not self.pid:
            os.chdir(ROOT)
            os.execve(sys.executable, arguments, VARIABLES)
        self.shown = b""

    def wait_for(self, text):
        end = time.monotonic() + LONGEST
        while text not in self.shown:
            assert time.monotonic() < end, self.shown[-2000:]
            self._read()

    def finish(self):
        """Read to the end; the exit code."""
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def hang_up(self):
        os.close(self._screen)

    def _read(self):
        try:
            select.select([self._screen], [], [], LONGEST)
            new = os.read(self._screen, 65_536)
        except OSError:  # the other end is closed
            return b""
        self.shown += new
        return new


def test_the_cursor_is_shown_again_whatever_ends_the_command(tmp_path, ledger):
    for signals in ([signal.SIGINT], [signal.SIGTERM], [signal.SIGINT, signal.SIGINT], [signal.SIGTERM] * 3):
        terminal = Terminal(command(tmp_path))
        terminal.wait_for(b"\x1b[?25l")
        terminal.wait_for(b"updates per second")
        for number in signals:
            os.kill(terminal.pid, number)
            time.sleep(0.05)
        assert terminal.finish() == 128 + signals[0]
        assert terminal.shown.rindex(b"\x1b[?25h") > terminal.shown.rindex(b"\x1b[?25l")
        assert b"Traceback" not in terminal.shown
        ledger("signals on a terminal", "cursor shown, no traceback")


def test_a_run_outlives_its_terminal(tmp_path, ledger):
    terminal = Terminal(command(tmp_path, steps=2_000))
    terminal.wait_for(b"updates per second")
    terminal.hang_up()
    code = os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1])
    assert (code, Run(tmp_path).status) == (0, "finished")
    ledger("terminal closed", "run finished")


@pytest.mark.parametrize("redirection", ["| head -n 1", "> /dev/full 2>&1", ">&- 2>&- <&-"])
def test_a_run_outlives_its_output(tmp_path, ledger, redirection):
    line = f"set -o pipefail; {shlex.join(command(tmp_path, steps=200))} {redirection}"
    done = subprocess.run(["bash", "-c", line], env=VARIABLES, cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, Run(tmp_path).status) == (0, "finished"), done.stderr
    ledger(f"output {redirection}", "run finished")


def test_compiled_code_that_never_returns_is_ended_by_the_timeout(tmp_path, ledger):
    process = start(tmp_path, "--step-timeout", "2", env="tests.faults.worlds:Stuck-v0")
    _, said = process.communicate(timeout=LONGEST)
    assert process.returncode == 1
    assert b"in step" in said  # the interpreter's own last words name the call
    assert Run(tmp_path).status == "interrupted"
    assert newest(tmp_path).name == "50"
    ledger("hang in compiled code, --step-timeout", "process ended, call named, checkpoint kept")


def test_an_environment_that_swallows_everything_does_not_hold_up_a_signal(tmp_path, ledger):
    process = start(tmp_path, env="tests.faults.worlds:Stubborn-v0")
    while b"stubborn" not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=LONGEST)
    assert process.returncode == 1
    assert Run(tmp_path).status == "interrupted"
    ledger("SIGTERM in a step that swallows exceptions", "process ended, checkpoint kept")
