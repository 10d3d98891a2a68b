"""How the benchmarks measure: process time on one thread, in turns, beside one plain float32 product.

To be imported first: XLA reads its flags once.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

from pacer.runtime import use_one_thread

use_one_thread()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from pacer.pieces.types import Space, Transition  # noqa: E402

Run = Callable[[], Any]


def seconds(run: Run) -> float:
    start = time.process_time()
    jax.block_until_ready(run())
    return time.process_time() - start


def in_turns(runs: Mapping[str, Run], repeats: int) -> dict[str, float]:
    """Median seconds of each, after a first run that compiles; what disturbs the machine disturbs all of them."""
    for run in runs.values():
        jax.block_until_ready(run())
    times = [[seconds(run) for run in runs.values()] for _ in range(repeats)]
    return dict(zip(runs, np.median(times, axis=0).tolist(), strict=True))


def products(width: int, count: int) -> Run:
    """A chain of `count` products of (width, width) matrices, so that dispatch does not count."""
    matrix = jnp.asarray(np.random.default_rng(0).normal(size=(width, width)) / width**0.5, jnp.float32)
    chain = jax.jit(lambda x: jax.lax.fori_loop(0, count, lambda _, y: y @ matrix, x))
    return lambda: chain(matrix)


def random_batches(updates: int, size: int, space: Space) -> Transition:
    rng = np.random.default_rng(0)
    obs, next_obs = rng.normal(size=(2, updates, size, space.observation)).astype(np.float32)
    action = rng.uniform(-1, 1, (updates, size, space.action)).astype(np.float32)
    reward = rng.normal(size=(updates, size)).astype(np.float32)
    return Transition(obs, action, reward, next_obs, np.full((updates, size), 0.99, np.float32))
