"""Environments that misbehave in every way that came to mind: named with their place, and nothing learned is lost."""

from decimal import Decimal

import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.runs.reader import Run
from tests.tiny_runs import newest, results, train
from tests.worlds import Drift

pytestmark = pytest.mark.faults
AT = 87


class Unprintable(Exception):
    def __repr__(self):
        raise RuntimeError("no words")

    __str__ = __repr__


class Spiteful:
    def __array__(self, *_, **__):
        raise RuntimeError("no array")


class Odd(Drift):
    """A Drift that gives one step's answer to somebody else to change."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def step(self, action):
        answer = super().step(action)
        return self.change(*answer) if self.steps == AT else answer


def observation(value):
    return lambda o, r, d, t, i: (value(o) if callable(value) else value, r, d, t, i)


def reward(value):
    return lambda o, r, d, t, i: (o, value, d, t, i)


def terminated(value):
    return lambda o, r, d, t, i: (o, r, value, t, i)


def raising(error):
    def change(*_):
        raise error

    return change


REFUSED = {
    "observation nan": observation(lambda o: o * np.nan),
    "observation inf": observation(lambda o: o + np.inf),
    "observation too large for float32": observation(lambda o: o.astype(np.float64) + 1e300),
    "observation too short": observation(lambda o: o[:2]),
    "observation too long": observation(lambda o: np.append(o, 1)),
    "observation of two axes": observation(lambda o: o[None]),
    "observation a number": observation(1.0),
    "observation empty": observation(np.zeros(0)),
    "observation None": observation(None),
    "observation of words": observation(["a", "b", "c"]),
    "observation of bytes": observation(b"abc"),
    "observation a dictionary": observation(lambda o: {"obs": o}),
    "observation ragged": observation([[1.0], [1.0, 2.0], 3.0]),
    "observation of objects": observation(lambda o: np.array([None, 1, 2])),
    "observation complex": observation(lambda o: o * 1j),
    "observation of giant integers": observation([10**400] * 3),
    "observation that refuses": observation(Spiteful()),
    "observation a generator": observation(lambda o: (x for x in o)),
    "reward nan": reward(np.nan),
    "reward inf": reward(np.inf),
    "reward too large for float32": reward(1e300),
    "reward a giant integer": reward(10**400),
    "reward None": reward(None),
    "reward a word": reward("1.0"),
    "reward a list": reward([1.0]),
    "reward two numbers": reward(np.zeros(2)),
    "reward complex": reward(1 + 1j),
    "reward a Decimal": reward(Decimal(1)),
    "reward that cannot be printed": reward(Unprintable()),
    "terminated None": terminated(None),
    "terminated 1": terminated(1),
    "terminated a word": terminated("yes"),
    "terminated two flags": terminated(np.array([True, False])),
    "terminated that cannot be printed": terminated(Unprintable()),
    "four values": lambda o, r, d, t, i: (o, r, d, i),
    "six values": lambda o, r, d, t, i: (o, r, d, t, i, i),
    "nothing": lambda *_: None,
    "RuntimeError": raising(RuntimeError("fell over")),
    "an error that cannot be printed": raising(Unprintable()),
    "SystemExit(0)": raising(SystemExit(0)),
    "SystemExit with words": raising(SystemExit("bye")),
    "StopIteration": raising(StopIteration()),
    "MemoryError": raising(MemoryError()),
    "RecursionError": raising(RecursionError()),
    "OSError": raising(OSError(28, "No space left on device")),
    "BrokenPipeError": raising(BrokenPipeError()),
    "EOFError": raising(EOFError()),
}
TAKEN = {
    "observation of float64": observation(lambda o: o.astype(np.float64)),
    "observation a list": observation(lambda o: o.tolist()),
    "reward of float64": lambda o, r, d, t, i: (o, np.float64(r), d, t, i),
    "reward an array of one": lambda o, r, d, t, i: (o, np.array([r]), d, t, i),
    "terminated of NumPy": lambda o, r, d, t, i: (o, r, np.bool_(d), t, i),
    "info None": lambda o, r, d, t, i: (o, r, d, t, None),
    "answer a list": lambda o, r, d, t, i: [o, r, d, t, i],
}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken")
    train(folder)
    return results(folder)


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_named_and_nothing_is_lost(unbroken, tmp_path, ledger, name):
    worlds = iter([Odd(REFUSED[name]), Drift()])
    with pytest.raises(PacerError, match=rf"Drift-v0 .* at step {AT} of training \(episode \d+\)") as error:
        train(tmp_path, make=lambda: next(worlds))
    assert len(str(error.value)) < 1_000
    assert (newest(tmp_path).name, Run(tmp_path).status) == ("80", "failed")
    train(tmp_path)  # the world was mended
    assert results(tmp_path) == unbroken
    ledger("environment that answers nonsense or raises", "named with its step, then same bytes")


@pytest.mark.parametrize("name", TAKEN)
def test_what_means_the_same_is_taken(unbroken, tmp_path, ledger, name):
    worlds = iter([Odd(TAKEN[name]), Drift()])
    train(tmp_path, make=lambda: next(worlds))
    assert results(tmp_path) == unbroken
    ledger("environment that answers in another type", "taken, same bytes")
