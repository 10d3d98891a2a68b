"""Where the time goes: in one update, part by part, and in one block of a real run.

    python benchmarks/account.py [--recipe R ...] [--size small|paper] [--env HalfCheetah-v4] [--blocks 20]

Every part of an update is compiled alone and timed in turns with the others and with a plain product. Alone, a part
does a little more than inside the whole, where XLA fuses it with its neighbours: what is left over is named `rest` and
may be negative. The parts of a block are timed inside a run, by process time.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from arithmetic import inner_of
from blocks import block_account
from race import keep
from timing import Run, in_turns, products, random_batches

import jax  # isort: skip
import jax.numpy as jnp

from pacer import learner
from pacer.pieces import Fixed, Nothing
from pacer.pieces.recipe import Recipe
from pacer.pieces.types import Network, Space, Transition
from pacer.presets import SIZES
from pacer.recipes import RECIPES
from pacer.training.statistics import Moments

NAMES = ("pacer", "pacer-m-adaptive", "pacer-w", "sac", "td3", "dsac", "idac", "sql")
ORDER = (
    "next action",
    "target",
    "critic forward",
    "loss",
    "critic backward",
    "critic optimiser",
    "actor",
    "encourager",
    "actor optimiser",
    "averaging",
    "finite check",
    "rest",
    "whole",
    "random numbers",
)
UPDATES = 10  # per block of parts
BLOCK = 50  # updates of a real run's block, after which it is checked that all is finite
REPEATS = 5

Part = Callable[[learner.TrainState, Transition, Any], Any]


def parts_of(recipe: Recipe, state: learner.TrainState, batch: Transition) -> dict[str, Part]:
    """Functions of state, prepared batch and key, by name; those that return a state hand it on."""
    predicted, goal = jax.jit(lambda s: predicted_and_goal(recipe, s, batch))(state)
    critic, actor = recipe.critic, recipe.actor
    plain = replace(recipe, encourager=Nothing(), weight=Fixed(0.0)) if recipe.encourager.samples > 1 else recipe
    step_critic, step_actor = critic.transform(recipe.critic_optimiser), recipe.actor_optimiser.transform()

    def next_actions(s: Any, b: Any, k: Any) -> Any:
        return recipe.backup.actions(actor, s.online, s.target, b, k)[0]

    def target(s: Any, b: Any, k: Any) -> Any:
        actions = jax.eval_shape(lambda: next_actions(s, b, k).action)
        returns = critic.returns(s.target.critic, b.next_obs, jnp.broadcast_to(b.action, actions.shape), k)
        return recipe.target_pessimism.combine(returns, recipe.risk).value

    def forward(params: Any, s: Any, b: Any, k: Any) -> Any:
        return critic.evaluate(Network(params, s.online.critic.stats), b.obs, b.action, k, training=True)[0]

    def backward(s: Any, b: Any, k: Any) -> Any:
        return jax.grad(lambda p: forward(p, s, b, k).value.sum())(s.online.critic.params)

    def loss(s: Any, b: Any, k: Any) -> Any:
        shifted = predicted.value + b.reward[:, None]

        def error(value: Any) -> Any:
            return critic.error(s.online.critic, b, predicted._replace(value=value), goal)

        return jax.value_and_grad(error)(shifted)

    def critic_optimiser(s: Any, b: Any, k: Any) -> Any:
        params, state = learner.descend(
            step_critic, s.target.critic.params, s.optimisers.critic, s.online.critic.params
        )
        critic = s.online.critic._replace(params=params)
        return s._replace(online=s.online._replace(critic=critic), optimisers=s.optimisers._replace(critic=state))

    def actor_gradient(s: Any, b: Any, k: Any) -> Any:
        weightless = s._replace(weight=plain.weight.init(plain.encourager, b.space)) if plain is not recipe else s
        return jax.grad(learner.actor_loss, has_aux=True)(s.online.actor.params, plain, weightless, b, k)[0]

    def encourager(s: Any, b: Any, k: Any) -> Any:
        def penalty(params: Any) -> Any:
            network = Network(params, s.online.actor.stats)
            return learner.penalise(recipe, network, b, None, list(jax.random.split(k, 3)))[0]  # type: ignore[arg-type]

        return jax.value_and_grad(penalty)(s.online.actor.params)

    def actor_optimiser(s: Any, b: Any, k: Any) -> Any:
        params, state = learner.descend(step_actor, s.target.actor.params, s.optimisers.actor, s.online.actor.params)
        actor = s.online.actor._replace(params=params)
        return s._replace(online=s.online._replace(actor=actor), optimisers=s.optimisers._replace(actor=state))

    parts: dict[str, Part] = {
        "next action": lambda s, b, k: next_actions(s, b, k).action,
        "target": target,
        "critic forward": lambda s, b, k: forward(s.online.critic.params, s, b, k).value,
        "critic forward and backward": backward,
        "loss": loss,
        "critic optimiser": critic_optimiser,
        "actor": actor_gradient,
        "actor optimiser": actor_optimiser,
        "averaging": lambda s, b, k: s._replace(target=learner.follow(recipe, s)),
        "finite check": lambda s, b, k: jnp.stack(
            [jnp.isfinite(leaf + b.reward[0]).all() for leaf in jax.tree.leaves(s)]
        ),
        "random numbers": lambda s, b, k: draws(recipe, s, batch, k),
    }
    if recipe.encourager.samples > 1:
        parts["encourager"] = encourager
    return parts


def predicted_and_goal(recipe: Recipe, state: Any, batch: Transition) -> Any:
    """What the loss of this batch compares, as constants."""
    key = jax.random.key(2)
    actions, _ = recipe.backup.actions(recipe.actor, state.online, state.target, batch, key)
    pair = recipe.critic.pair(state.online.critic, state.target.critic, batch, actions.action, key)
    returns = recipe.target_pessimism.combine(pair.following, recipe.risk)
    return jax.lax.stop_gradient((pair.predicted, recipe.backup.following(returns, actions, recipe.risk)))


def draws(recipe: Recipe, state: Any, batch: Transition, key: Any) -> Any:
    """As many random bits, in as many draws and splits, as one update takes."""
    scaling = Moments.empty(batch.space.observation).scaling()
    jaxpr = jax.make_jaxpr(lambda s, k: learner.update(recipe, s, batch, scaling, k))(state, key)
    results = []
    for equation in _random(jaxpr.jaxpr):
        key, use = jax.random.split(key)
        results.append(jax.random.bits(use, equation.outvars[0].aval.shape))
    return results


def _random(jaxpr: Any) -> Iterator[Any]:
    """The equations that draw, with those of inner functions."""
    for equation in jaxpr.eqns:
        if equation.primitive.name == "random_bits":
            yield equation
        for inner in inner_of(equation):
            yield from _random(inner)


def block_of(part: Part, state: Any, batches: Transition, keys: Any) -> Run:
    """The part once per batch; its results go round, so that XLA can drop none of them."""

    def step(carry: Any, x: Any) -> Any:
        result = part(carry[0], *x)
        return ((result, carry[1]) if isinstance(result, learner.TrainState) else (carry[0], result)), None

    result = jax.eval_shape(part, state, Transition(*(part[0] for part in batches)), keys[0])
    empty = (
        () if isinstance(result, learner.TrainState) else jax.tree.map(lambda r: jnp.zeros(r.shape, r.dtype), result)
    )
    block = jax.jit(lambda s, b, k: jax.lax.scan(step, (s, empty), (b, k))[0])
    return lambda: block(state, batches, keys)


def update_account(recipe: Recipe, width: int, space: Space) -> dict[str, float]:
    """Seconds per update of each part, of the whole and of a product."""
    state = learner.init(recipe, space, jax.random.key(0))
    raw, scaling = random_batches(UPDATES, recipe.batch, space), Moments.empty(space.observation).scaling()
    batches = jax.jit(lambda b: learner.prepare(recipe, b, scaling))(raw)
    keys = jax.random.split(jax.random.key(1), UPDATES)
    parts = parts_of(recipe, state, Transition(*(part[0] for part in batches)))
    runs = {name: block_of(part, state, batches, keys) for name, part in parts.items()}
    runs["whole"] = block_of(lambda s, b, k: learner.update(recipe, s, b, scaling, k)[0], state, raw, keys)
    runs["product"] = products(width, UPDATES)
    times = {name: time / UPDATES for name, time in in_turns(runs, REPEATS).items()}
    for name in ("actor", "encourager", "actor optimiser"):
        if name in times:
            times[name] /= recipe.policy_delay
    times["finite check"] /= BLOCK
    times["critic backward"] = times.pop("critic forward and backward") - times["critic forward"]
    apart = ("whole", "product", "random numbers")  # random numbers are in the other parts, too
    times["rest"] = times["whole"] - sum(time for name, time in times.items() if name not in apart)
    return times


def table(title: str, columns: dict[str, dict[str, float]], form: str) -> str:
    """A Markdown table: a column for each recipe, a row for each part."""
    lines = [f"| {title} | {' | '.join(f'`{name}`' for name in columns)} |", f"|---{'|--:' * len(columns)}|"]
    for row in dict.fromkeys(part for column in columns.values() for part in column):
        lines.append(f"| {row} | {' | '.join(format(c[row], form) if row in c else '' for c in columns.values())} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", nargs="+", choices=RECIPES, default=NAMES, metavar="R")
    parser.add_argument("--size", choices=SIZES, help="one size (both by default)")
    parser.add_argument("--env", default="HalfCheetah-v4")
    parser.add_argument("--blocks", type=int, default=20, help="of the real run that count; 0 for no run")
    arguments = parser.parse_args()
    space, texts = Space(17, 6), []
    for size in [arguments.size] if arguments.size else SIZES:
        updates, blocks = {}, {}
        for name in arguments.recipe:
            times = update_account(SIZES[size].apply(RECIPES[name][1]), SIZES[size].hidden[0], space)
            updates[name] = {part: times[part] / times["product"] for part in ORDER if part in times}
            updates[name]["one product, ms"] = 1e3 * times["product"]
            print(f"{size} {name}: " + ", ".join(f"{p} {t:.2f}" for p, t in updates[name].items()), flush=True)
            if arguments.blocks:
                parts, count = block_account(name, size, arguments.env, arguments.blocks)
                blocks[name] = {part: 1e3 * seconds for part, seconds in parts.items()}
                blocks[name]["an update of the run / alone"] = parts["updates"] / count / times["whole"]
        texts.append(table(f"one update, {size}, in products", updates, ".1f"))
        if blocks:
            texts.append(table(f"one block of a run, {size}, in ms", blocks, ".2f"))
    keep("account", "\n\n".join(texts), whole=not arguments.size and arguments.recipe == NAMES)


if __name__ == "__main__":
    main()
