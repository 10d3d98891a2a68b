"""What every command of the command line has in common: one thread, the cache, and errors as one line.

The commands' names and the help are in `pacer_launcher`, outside the package, where they need no import of it.
"""

import signal
import sys
from collections import Counter
from importlib import import_module

from pacer.errors import EnvironmentFailed, PacerError
from pacer.imports import IMPORTED, imported, search_here
from pacer.runtime import hush_compiler, keep_compiled_blocks, use_one_thread
from pacer.streams import outlast_streams


def run(command: str, arguments: list[str]) -> None:
    """Run one command; ends the process where it fails or is stopped."""
    outlast_streams()
    use_one_thread()  # before the import of JAX, hence of the command
    keep_compiled_blocks()
    hush_compiler()
    search_here()
    from pacer.training.stopping import Stopped

    try:
        arguments = _without_imports(arguments)
        _check_once(arguments)
        import_module(f"pacer.commands.{command}").main(arguments)
    except (PacerError, OSError) as error:  # OSError: a full disk, a folder that went away
        sys.exit(_told(error))
    except Stopped as stop:
        for number in (signal.SIGINT, signal.SIGTERM):  # all is saved: one more would only change the exit code
            signal.signal(number, signal.SIG_IGN)
        print(f"stopped by {stop}; the same command continues the run", file=sys.stderr)
        sys.exit(stop.exit_code)
    except KeyboardInterrupt as stop:
        sys.exit(getattr(stop, "exit_code", 130))


def _check_once(arguments: list[str]) -> None:
    """Of an option that is there twice, the first would be ignored."""
    options = Counter(word.partition("=")[0].replace("_", "-") for word in arguments if word.startswith("--"))
    if twice := [option for option, count in options.items() if count > 1]:
        raise PacerError(f"{twice[0]} is given twice: expected it once, and of several values one after another")


def _told(error: Exception) -> str:
    """One line; before it, where an environment failed, that environment's own words."""
    trace = error.trace if isinstance(error, EnvironmentFailed) else ""
    notes = [note for note in getattr(error, "__notes__", []) if note != trace]
    return f"{trace}pacer: {' '.join([f'{error}', *notes])}"


def _without_imports(arguments: list[str]) -> list[str]:
    """The words without every `--import MODULE`, which is done: pieces and environments of the user's own."""
    others: list[str] = []
    IMPORTED.clear()  # of a command before, where there are several in a process
    words = iter(arguments)
    for word in words:
        option, equals, source = word.partition("=")
        if option != "--import":
            others.append(word)
        elif source := source if equals else next(words, ""):
            imported(source)
            IMPORTED.append(source)
        else:
            raise PacerError("--import: expected a module, or the path of a .py file")
    return others
