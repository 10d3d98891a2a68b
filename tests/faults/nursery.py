"""Runs in processes that are meant to die: one process imports everything, and every run is a fork of it.

Forked before JAX has a backend, and so threads, a run does nothing else than one that was started by a command; it is
only there sooner, which makes hundreds of kills affordable. Asked and answered in lines of JSON.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
import warnings
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 900.0  # seconds that a run may take in all, on a machine that has other things to do


class Nursery:
    """Starts runs, and ends them as asked."""

    def __init__(self, preload=None):
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
        if preload:
            variables["LD_PRELOAD"] = str(preload)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=variables,
            cwd=ROOT,
            text=True,
        )

    def run(self, folder, environment, recipe, **options):
        """What became of a run: `code`, negative where it was killed, what it `said`, and how long it `lasted`.

        `kill` is a number of seconds after which it is killed, counted from its birth or, with `begun`, from its first
        block of updates, before which it compiles for long. `fault` is what the shim is armed with.
        """
        asked = {"folder": str(folder), "environment": environment, "recipe": recipe, **options}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def serve():
    """Answer until there are no more questions."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anybody prints is not an answer
    warnings.filterwarnings("ignore", message=".*fork.*")
    import mujoco  # noqa: F401  (what a run imports, imported once)

    import pacer.training.execute  # noqa: F401
    from tests import tiny_runs  # noqa: F401

    for line in sys.stdin:
        answers.write(json.dumps(attend(json.loads(line))) + "\n")
        answers.flush()


def attend(asked):
    said, tell = os.pipe()
    born = time.monotonic()
    child = os.fork()
    if not child:
        os.close(said)
        live(asked, tell)
    os.close(tell)
    text, ended, begun, deadline = b"", False, born, born + LONGEST
    if "kill" in asked and not asked.get("begun"):
        deadline = born + asked["kill"]
    while not ended and (left := deadline - time.monotonic()) > 0:
        if select.select([said], [], [], left)[0]:
            new = os.read(said, 4096)
            ended = not new
            if b"\0" in new and begun == born:
                begun = time.monotonic()
                deadline = begun + asked["kill"] if asked.get("begun") else deadline
            text += new.replace(b"\0", b"")
    if not ended:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(said)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "said": text.decode(errors="replace"),
        "hung": not ended and "kill" not in asked,
        "lasted": time.monotonic() - begun,
    }


def live(asked, tell):
    """A run, in a process of its own, which tells when it has begun and how it ends."""
    from pacer.envs.make import maker
    from pacer.observers import Progress
    from pacer.runtime import keep_compiled_blocks  # noqa: F401
    from pacer.training.execute import execute
    from tests.tiny_runs import TINY, configuration

    def begun(event):
        if isinstance(event, Progress) and event.metrics:  # all is compiled by now
            os.write(tell, b"\0")

    code = 0
    try:
        from pacer.recipes import RECIPES

        recipe = TINY.apply(RECIPES[asked["recipe"]][1])
        config = configuration(recipe=recipe, environment=asked["environment"], **asked.get("schedule", {}))
        config = replace(config, label=asked["recipe"])
        if fault := asked.get("fault"):
            arm(asked["folder"], **fault)
        execute(config, Path(asked["folder"]), maker(config.environment, {}), [begun])
    except BaseException as error:
        kind = "".join(traceback.format_exception_only(error))
        os.write(tell, kind.encode()[:3000])
        code = 1
    if asked.get("fault"):
        os.write(tell, f"\ncalls {calls()}".encode())
    os._exit(code)


def arm(folder, call, how, error=0):
    """Have the shim spoil a call that writes to the folder, counted from here."""
    ctypes.CDLL(None).pacer_arm(os.fsencode(folder), call, how.encode(), error)


def calls():
    """How many calls that write to the folder there were."""
    return ctypes.CDLL(None).pacer_calls()


if __name__ == "__main__":
    serve()
