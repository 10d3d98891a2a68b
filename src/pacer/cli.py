"""What every command of the command line has in common: one thread, the cache, and errors as one line.

The commands' names and the help are in `pacer_launcher`, outside the package, where they need no import of it.
"""

import sys
from importlib import import_module

from pacer.errors import PacerError
from pacer.runtime import keep_compiled_blocks, use_one_thread


def run(command: str, arguments: list[str]) -> None:
    """Run one command; ends the process where it fails or is stopped."""
    use_one_thread()  # before the import of JAX, hence of the command
    keep_compiled_blocks()
    from pacer.training.stopping import Stopped

    try:
        import_module(f"pacer.commands.{command}").main(arguments)
    except (PacerError, OSError) as error:  # OSError: a full disk, a folder that went away
        sys.exit(f"pacer: {error}")
    except Stopped as stop:
        print(f"stopped by {stop}; the same command continues the run", file=sys.stderr)
        sys.exit(stop.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
