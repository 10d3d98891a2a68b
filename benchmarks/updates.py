"""Milliseconds per update, per recipe and size, beside one plain float32 product timed in the same run.

python benchmarks/updates.py [--recipe R] [--size small|paper] [--observation 17] [--action 6]
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

from pacer.runtime import use_one_thread

use_one_thread()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from pacer import learner  # noqa: E402
from pacer.pieces.recipe import Recipe  # noqa: E402
from pacer.pieces.types import Space, Transition  # noqa: E402
from pacer.presets import SIZES, Size  # noqa: E402
from pacer.recipes import RECIPES  # noqa: E402
from pacer.training.statistics import Moments  # noqa: E402

UPDATES = 50
REPEATS = 7


def seconds(run: Callable[[], Any]) -> float:
    start = time.process_time()
    jax.block_until_ready(run())
    return time.process_time() - start


def product_timer(width: int) -> Callable[[], float]:
    """Times one product, as part of a chain of 20 so that dispatch does not count."""
    matrix = jnp.asarray(np.random.default_rng(0).normal(size=(width, width)) / width**0.5, jnp.float32)
    chain = jax.jit(lambda x: jax.lax.fori_loop(0, 20, lambda _, y: y @ matrix, x))
    jax.block_until_ready(chain(matrix))
    return lambda: seconds(lambda: chain(matrix)) / 20


def random_batches(size: int, space: Space) -> Transition:
    rng = np.random.default_rng(0)
    obs, next_obs = rng.normal(size=(2, UPDATES, size, space.observation)).astype(np.float32)
    action = rng.uniform(-1, 1, (UPDATES, size, space.action)).astype(np.float32)
    reward = rng.normal(size=(UPDATES, size)).astype(np.float32)
    return Transition(obs, action, reward, next_obs, np.full((UPDATES, size), 0.99, np.float32))


def measure(recipe: Recipe, size: Size, space: Space) -> tuple[float, float, float]:
    """Seconds per update, per product, and for compiling; times are medians of interleaved repeats."""
    state = learner.init(recipe, space, jax.random.key(0))
    batches, scaling = random_batches(recipe.batch, space), Moments.empty(space.observation).scaling()
    product = product_timer(size.hidden[0])

    def block() -> Any:
        nonlocal state
        state, metrics, _ = learner.learn(recipe, state, batches, scaling, jax.random.key(1))
        return metrics

    first = seconds(block)
    times = [(seconds(block) / UPDATES, product()) for _ in range(REPEATS)]
    update_time, product_time = np.median(times, axis=0)
    return update_time, product_time, first - update_time * UPDATES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", choices=RECIPES, help="one recipe (all of them by default)")
    parser.add_argument("--size", choices=SIZES, help="one size (both by default)")
    parser.add_argument("--observation", type=int, default=17)
    parser.add_argument("--action", type=int, default=6)
    arguments = parser.parse_args()
    space = Space(arguments.observation, arguments.action)
    print(f"{'recipe':18} {'size':6} {'ms/update':>10} {'ms/product':>11} {'quotient':>9} {'compile s':>10}")
    for size_name in [arguments.size] if arguments.size else SIZES:
        for name in [arguments.recipe] if arguments.recipe else RECIPES:
            size = SIZES[size_name]
            update_time, product_time, compile_time = measure(size.apply(RECIPES[name][1]), size, space)
            print(
                f"{name:18} {size_name:6} {1e3 * update_time:10.2f} {1e3 * product_time:11.3f} "
                f"{update_time / product_time:9.1f} {compile_time:10.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
