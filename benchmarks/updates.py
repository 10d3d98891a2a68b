"""Milliseconds per update, per recipe and size, beside one plain float32 product timed in the same run.

    python benchmarks/updates.py [--recipe R ...] [--size small|paper] [--observation 17] [--action 6]

`products` is the quotient; `at least` is how many products hold the arithmetic of those in an update, which is the
quotient that a processor would reach if nothing else took time. Writes results/updates.md.
"""

import argparse
from typing import Any

from arithmetic import products_in
from race import keep
from timing import in_turns, products, random_batches, seconds

import jax  # isort: skip
from pacer import learner
from pacer.pieces.recipe import Recipe
from pacer.pieces.types import Space
from pacer.presets import SIZES
from pacer.recipes import RECIPES
from pacer.training.statistics import Moments

UPDATES = 50
REPEATS = 7


def measure(recipe: Recipe, width: int, space: Space) -> tuple[float, float, float]:
    """Seconds per update, per product of this width, and for compiling; times are medians of interleaved repeats."""
    state = learner.init(recipe, space, jax.random.key(0))
    batches = random_batches(UPDATES, recipe.batch, space)
    scaling = Moments.empty(space.observation).scaling()

    def block() -> Any:
        nonlocal state
        state, metrics, _ = learner.learn(recipe, state, batches, scaling, jax.random.key(1))
        return metrics

    first = seconds(block)
    times = in_turns({"block": block, "products": products(width, UPDATES)}, REPEATS)
    return times["block"] / UPDATES, times["products"] / UPDATES, first - times["block"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", nargs="+", choices=RECIPES, default=list(RECIPES), metavar="R")
    parser.add_argument("--size", choices=SIZES, help="one size (both by default)")
    parser.add_argument("--observation", type=int, default=17)
    parser.add_argument("--action", type=int, default=6)
    arguments = parser.parse_args()
    space = Space(arguments.observation, arguments.action)
    sizes = [arguments.size] if arguments.size else list(SIZES)
    lines = ["| recipe | size | ms | products | at least | compiling, s |", "|---|---|--:|--:|--:|--:|"]
    print("\n".join(lines), flush=True)
    for size in sizes:
        for name in arguments.recipe:
            recipe, width = SIZES[size].apply(RECIPES[name][1]), SIZES[size].hidden[0]
            update_time, product_time, compile_time = measure(recipe, width, space)
            lines.append(
                f"| `{name}` | {size} | {1e3 * update_time:.1f} | {update_time / product_time:.1f} | "
                f"{products_in(recipe, width, space):.1f} | {compile_time:.0f} |"
            )
            print(lines[-1], flush=True)
    keep("updates", "\n".join(lines), whole=not arguments.size and len(arguments.recipe) == len(RECIPES))


if __name__ == "__main__":
    main()
