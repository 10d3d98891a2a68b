"""The time of one block of a real run, by what it is spent on: process time, measured while it runs."""

import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from functools import wraps
from typing import Any
from unittest import mock

import timing  # noqa: F401  (first: it asks for one thread)

import jax  # isort: skip
import pacer
from pacer import learner
from pacer.agent import Policy
from pacer.observers import STOP, Progress
from pacer.observers.audience import Audience
from pacer.presets import SIZES
from pacer.training.replay import Replay
from pacer.training.world import World

FIRST = 5  # blocks that learn, before those that count
WATCHED = [
    (Replay, "sample", "gather"),
    (learner, "learn", "updates"),
    (Policy, "push", "acting"),
    (World, "step", "environment"),
    (Replay, "add", "remembering"),
    (Audience, "tell", "logging"),
]


def block_account(name: str, size: str, env: str, blocks: int) -> tuple[dict[str, float], int]:
    """Seconds per block of a run, in parts and as a whole, and the number of updates in one."""
    spent: dict[str, float] = defaultdict(float)
    begun = 0.0
    schedule = pacer.Schedule(warm_up=SIZES[size].warm_up, learn_after=SIZES[size].warm_up)

    def observe(event: Any) -> Any:
        nonlocal begun
        if not isinstance(event, Progress):
            return None
        count = (event.step - schedule.learn_after) // schedule.block
        if count <= FIRST:
            spent.clear()
            begun = time.process_time()
        elif count == FIRST + blocks:
            spent["whole"] = time.process_time() - begun
            return STOP
        return None

    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        stack.enter_context(transferring(spent))
        for owner, function, part in WATCHED:
            stack.enter_context(timed(owner, function, spent, part))
        steps = schedule.learn_after + (FIRST + blocks + 1) * schedule.block
        pacer.train(env, name, steps, size=size, schedule=schedule, run_dir=folder, quiet=True, observers=[observe])
    spent["updates"] -= spent["transfer"]
    spent["rest"] = 2 * spent["whole"] - sum(spent.values())
    return {part: seconds / blocks for part, seconds in spent.items()}, schedule.updates


def timed(owner: Any, name: str, spent: dict[str, float], part: str) -> Any:
    """A context in which the process time of a function, results ready, counts for a part."""
    function = getattr(owner, name)

    @wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        start = time.process_time()
        try:
            return jax.block_until_ready(function(*arguments, **options))
        finally:
            spent[part] += time.process_time() - start

    return mock.patch.object(owner, name, wrapped)


def transferring(spent: dict[str, float]) -> Any:
    """A context in which batches are handed to JAX before the updates that they are for, and that is timed too."""
    learn = learner.learn

    def wrapped(recipe: Any, state: Any, batches: Any, *rest: Any) -> Any:
        start = time.process_time()
        batches = jax.block_until_ready(jax.device_put(batches))
        spent["transfer"] += time.process_time() - start
        return learn(recipe, state, batches, *rest)

    return mock.patch.object(learner, "learn", wrapped)
