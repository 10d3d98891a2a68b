"""The `pacer` command. Help is answered at once; the package, whose import takes a while, waits for real work."""

import sys

COMMANDS = {
    "train": ("[RECIPE] --env ID", "train; RECIPE is pacer-m-adaptive unless named"),
    "evaluate": ("RUN", "judge a trained policy"),
    "examine": ("RUN...", "how its actions spread, and whether its returns come true"),
    "record": ("RUN", "an MP4 of a trained policy"),
    "bench": ("EXPERIMENT", "all runs of an experiment, here or on a cluster"),
    "report": ("RUNS", "a page with tables and charts of runs"),
    "list": ("", "recipes, what they are, and the sizes they come in"),
}


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
    command, *arguments = sys.argv[1:] or ["--help"]
    if command in ("-h", "--help"):
        print(usage())
        return
    if command not in COMMANDS:
        sys.exit(f"pacer: unknown command {command!r}: expected {', '.join(COMMANDS)}")
    from pacer.cli import run

    run(command, arguments)
