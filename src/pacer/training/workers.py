"""Worlds in processes of their own: none waits for another, and the results are those of taking turns."""

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NamedTuple

from pacer.errors import EnvironmentFailed, PacerError, shown, trace_of
from pacer.runtime import use_one_thread
from pacer.training.watch import Watch
from pacer.training.world import MakeEnvironment, World
from pacer.training.worlds import Call, InTurn, Worlds, make_worlds

PATIENCE = 5.0  # seconds that worlds have to close
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # which the run answers; its workers end with it
IMPORTABLE = (
    "Workers import what makes an environment: give its id, or a function on the top level of a module, "
    "or train with env_workers=0"
)


class Under(NamedTuple):
    """A call of an environment that a worker is about to make."""

    method: str
    given: Any
    where: str


@contextmanager
def open_worlds(
    make: MakeEnvironment, name: str, count: int, processes: int, watch: Watch, warn: Callable[[str], object]
) -> Iterator[tuple[Worlds, World]]:
    """`count` worlds to train in, in this process or in others, and one in this to evaluate in.

    What goes wrong when they are closed is only a warning: the run is over by then.
    """
    if processes < 0:
        raise PacerError(f"env_workers is {processes}: expected a whole number, 0 or more")
    *here, examination = make_worlds(make, name, 1 if processes else count + 1, watch)
    problems: list[str | None] = []
    try:
        worlds: Worlds = Workers(make, name, count, processes, watch) if processes else InTurn(here)
        try:
            yield worlds, examination
        finally:
            problems += worlds.close()
    finally:
        for problem in dict.fromkeys([*problems, examination.close()]):
            if problem:
                warn(f"{problem}. What was learned is kept")


class Workers:
    """`count` worlds, shared out among processes; each is told all its calls at once, and answers them at once."""

    def __init__(
        self, make: MakeEnvironment, name: str, count: int, processes: int, watch: Watch | None = None
    ) -> None:
        _check_sendable(make, name)
        self.count = count
        self._watch = watch or Watch()
        self._name = name
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []
        workers = min(processes, count)
        try:
            for worker in range(workers):
                self._start(worker)
            for worker in range(workers):
                number = len(range(worker, count, workers))  # every `workers`-th world
                self._send(worker, (make, name, number, self._watch.limit is not None))
            for worker in range(workers):
                self._receive(worker, "__init__", "the start")
        except BaseException:
            self.close()
            raise

    def call(self, calls: Iterable[Call]) -> list[Any]:
        calls, workers = list(calls), len(self._pipes)
        parts = {worker: [c for c in calls if c[0] % workers == worker] for worker in range(workers)}
        busy = [worker for worker, part in parts.items() if part]
        for worker in busy:
            self._send(worker, [(world // workers, method, given) for world, method, given in parts[worker]])
        answers = {worker: iter(self._receive(worker, *_named(parts[worker]))) for worker in busy}
        return [next(answers[world % workers]) for world, _, _ in calls]

    def close(self) -> list[str]:
        """A worker ends when its pipe does, or is ended."""
        for pipe in self._pipes:
            pipe.close()
        end = time.monotonic() + PATIENCE
        for process in self._processes:
            process.join(max(0.0, end - time.monotonic()))
            process.kill()
            process.join()
        return []

    def _start(self, worker: int) -> None:
        spawn = multiprocessing.get_context("spawn")  # a fork would copy the locks of JAX's threads
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=_serve, args=(theirs,), name=f"{self._name} {worker}", daemon=True)
        # What comes in its first moments waits until it can tell that it does not care.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()  # the worker's own is the only one left, so that its end is seen here
        self._pipes.append(ours)
        self._processes.append(process)

    def _send(self, worker: int, message: Any) -> None:
        try:
            self._pipes[worker].send(message)
        except OSError as error:
            raise self._dead(worker) from error

    def _receive(self, worker: int, method: str, where: str) -> Any:
        of = f"{self._name} in process {worker}"
        self._watch.begin(of, method, None, where)
        try:
            while isinstance(answer := self._pipes[worker].recv(), Under):
                self._watch.begin(of, *answer)  # each call has the limit to itself
        except (EOFError, OSError) as error:
            raise self._dead(worker) from error
        finally:
            self._watch.end()
        if isinstance(answer, EnvironmentFailed):
            answer.add_note(answer.trace)  # its cause is in the worker
        if isinstance(answer, PacerError):
            raise answer
        return answer

    def _dead(self, worker: int) -> PacerError:
        self._processes[worker].join(PATIENCE)
        return PacerError(
            f"process {worker} of {self._name} ended with code {self._processes[worker].exitcode}. What was learned so "
            "far is kept. A script that trains with env_workers does so under `if __name__ == '__main__':`"
        )


def _serve(pipe: Connection) -> None:
    """A worker: makes its worlds, then answers calls until the pipe ends, as it does when the run does."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # the run decides when it ends
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    use_one_thread()
    try:
        make, name, count, watched = pipe.recv()
        worlds = InTurn(make_worlds(make, name, count, Announced(pipe) if watched else None))
    except PacerError as error:
        pipe.send(error)
        return
    except (Exception, SystemExit) as error:
        message = f"an environment could not be made in a worker: {shown(error)}. {IMPORTABLE}"
        pipe.send(EnvironmentFailed(message, trace_of(error)))
        return
    pipe.send(None)
    try:
        while True:
            pipe.send(_answers(worlds, pipe.recv()))
    except (EOFError, OSError):
        worlds.close()


class Announced(Watch):
    """The watch of a worker: the run, which looks after the clock, is told of each call."""

    def __init__(self, pipe: Connection) -> None:
        super().__init__()
        self._pipe = pipe

    def begin(self, environment: str, method: str, given: Any, where: str) -> None:
        self._pipe.send(Under(method, given, where))


def _answers(worlds: InTurn, calls: list[Call]) -> list[Any] | PacerError:
    try:
        return worlds.call(calls)
    except PacerError as error:
        return error


def _named(calls: list[Call]) -> tuple[str, str]:
    """What a worker was asked to do, in words: the method, and where in the run."""
    return calls[0][1], " or ".join(str(given[-1]) for _, _, given in calls)


def _check_sendable(make: MakeEnvironment, name: str) -> None:
    try:
        ForkingPickler.dumps(make)
    except Exception as error:
        raise PacerError(f"{name} cannot be made in workers: {error}. {IMPORTABLE}") from error
