"""The command line. Heavy imports wait for the command that needs them."""

import sys
from importlib import import_module

from pacer.runtime import keep_compiled_blocks, use_one_thread

COMMANDS = ("train", "evaluate", "record", "list")

HELP = """usage: pacer COMMAND ...

Distributional actor-critic learning in continuous control.

  pacer train [RECIPE] --env ID   train; RECIPE is pacer-m-adaptive unless named
  pacer evaluate RUN              judge a trained policy
  pacer record RUN                an MP4 of a trained policy
  pacer list                      recipes, what they are, and the sizes they come in

`pacer COMMAND --help` tells the options of a command."""


def main() -> None:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(HELP)
        return
    command, *rest = arguments
    if command not in COMMANDS:
        sys.exit(f"pacer: unknown command {command!r}: expected {', '.join(COMMANDS)}")
    use_one_thread()
    keep_compiled_blocks()
    try:
        _run(command, rest)
    except KeyboardInterrupt:
        sys.exit(130)


def _run(command: str, arguments: list[str]) -> None:
    from pacer.errors import PacerError
    from pacer.training.stopping import Stopped

    try:
        import_module(f"pacer.commands.{command}").main(arguments)
    except (PacerError, OSError) as error:  # OSError: a full disk, a folder that went away
        sys.exit(f"pacer: {error}")
    except Stopped as stop:
        print(f"stopped by {stop}; the same command continues the run", file=sys.stderr)
        sys.exit(stop.exit_code)
