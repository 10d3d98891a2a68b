"""The command line. Heavy imports wait for the command that needs them."""

import sys
from collections.abc import Callable

from pacer.runtime import keep_compiled_blocks, use_one_thread

HELP = """usage: pacer COMMAND ...

Distributional actor-critic learning in continuous control.

  pacer train [RECIPE] --env ID   train; RECIPE is pacer-m-adaptive unless named
  pacer evaluate RUN              judge a trained policy
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
        _run(COMMANDS[command], rest)
    except KeyboardInterrupt:
        sys.exit(130)


def _run(command: Callable[[list[str]], None], arguments: list[str]) -> None:
    from pacer.errors import PacerError
    from pacer.training import Stopped

    try:
        command(arguments)
    except (PacerError, OSError) as error:  # OSError: a full disk, a folder that went away
        sys.exit(f"pacer: {error}")
    except Stopped as stop:
        print(f"stopped by {stop}; the same command continues the run", file=sys.stderr)
        sys.exit(stop.exit_code)


def train(arguments: list[str]) -> None:
    from pacer.commands.train import main as command

    command(arguments)


def evaluate(arguments: list[str]) -> None:
    from pacer.commands.evaluate import main as command

    command(arguments)


def list_recipes(arguments: list[str]) -> None:
    from pacer.commands.list import main as command

    command(arguments)


COMMANDS: dict[str, Callable[[list[str]], None]] = {"train": train, "evaluate": evaluate, "list": list_recipes}
