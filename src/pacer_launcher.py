"""The `pacer` command. Help is answered at once; the package, whose import takes a while, waits for real work.

Signals are answered from the first line on: an interrupted import would end in a traceback, or worse.
"""

import os
import signal
import sys

COMMANDS = {
    "train": ("[RECIPE] --env ID", "train; RECIPE is pacer unless named"),
    "evaluate": ("RUN", "judge a trained policy"),
    "show": ("RUN", "a picture of its actions, the returns it expects, and its curve"),
    "compare": ("RUN...", "curves and scores of several runs, over seeds"),
    "record": ("RUN", "an MP4 of a trained policy"),
    "export": ("RUN", "a trained policy for NumPy and ONNX, without JAX"),
    "bench": ("EXPERIMENT", "all runs of an experiment, here or on a cluster"),
    "report": ("RUNS", "a page with tables and charts of runs"),
    "list": ("", "recipes, what they are, and the sizes they come in"),
}


WINDOWS = os.name == "nt"
LASTING = ("train", "bench")  # which go on though their terminal goes away
SHOW_CURSOR = b"\x1b[?25h"


def usage() -> str:
    lines = (f"  {f'pacer {name} {arguments}':31} {meaning}" for name, (arguments, meaning) in COMMANDS.items())
    return "\n".join(
        [
            "usage: pacer COMMAND ...\n",
            "Distributional actor-critic learning in continuous control.\n",
            *lines,
            "\n`pacer COMMAND --help` tells the options of a command.",
            "Every command takes --import MODULE or --import FILE.py, for pieces and environments of your own.",
        ]
    )


def main() -> None:
    if WINDOWS:
        sys.exit("pacer: Windows lacks the locks and signals that runs need: use pacer in WSL")
    command, *arguments = sys.argv[1:] or ["--help"]
    answer_signals(lasting=command in LASTING)
    if command in ("-h", "--help"):
        print(usage())
        return
    if command not in COMMANDS:
        sys.exit(f"pacer: unknown command {command!r}: expected {', '.join(COMMANDS)}")
    from pacer.cli import run

    run(command, arguments)


def answer_signals(lasting: bool) -> None:
    """A signal ends the process at once, wherever it is; a run takes its own measures while it goes.

    Nothing is lost by that: what counts is on disk, whole, at any moment.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, stay if lasting and number == signal.SIGHUP else leave)


def leave(number: int, frame: object) -> None:
    if os.isatty(1):
        os.write(1, SHOW_CURSOR)
    os._exit(128 + number)


def stay(number: int, frame: object) -> None:
    """A run that has not begun has nothing to save; it begins all the same."""
