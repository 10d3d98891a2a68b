"""The yardstick: PACER's Algorithm 1 written down as it is printed, timed in turns with ours.

    python benchmarks/literal.py [--size small|paper] [--updates 4]

Levels are drawn for every sample, the encourager looks at all states of the batch, losses are left to autodiff, and
every update is one call on one batch. Widths, batch, levels, samples and policy delay are those of `pacer-m`, to
which it is compared. Nothing of the package is used in it, so that it stays what it is.
"""

import argparse
from itertools import count
from typing import Any

from race import keep
from timing import in_turns, random_batches

import jax  # isort: skip
import jax.numpy as jnp
import optax

from pacer import learner
from pacer.pieces.types import Space
from pacer.presets import SIZES
from pacer.recipes import RECIPES
from pacer.training.statistics import Moments

COSINES, DISCOUNT, RATE, WEIGHT = 64, 0.99, 0.005, 0.01
BLOCK = 50  # updates in one call of ours
REPEATS = 5
OPTIMISER = optax.adam(3e-4)


def layer(key: Any, inputs: int, outputs: int) -> Any:
    bound = inputs**-0.5
    weight, bias = jax.random.split(key)
    return (
        jax.random.uniform(weight, (inputs, outputs), minval=-bound, maxval=bound),
        jax.random.uniform(bias, (outputs,), minval=-bound, maxval=bound),
    )


def hidden(layers: Any, x: Any) -> Any:
    for weight, bias in layers:
        x = jax.nn.relu(x @ weight + bias)
    return x


def policy(params: Any, obs: Any, noise: Any) -> Any:
    weight, bias = params["head"]
    return jnp.tanh(hidden(params["hidden"], jnp.concatenate([obs, noise], -1)) @ weight + bias)


def quantiles(params: Any, obs: Any, action: Any, level: Any) -> Any:
    """Z(s, a) at the levels (B, K)."""
    features = hidden(params["hidden"], jnp.concatenate([obs, action], -1))
    cosines = jnp.cos(jnp.pi * jnp.arange(1, COSINES + 1) * level[..., None])
    gate = 1 + cosines @ params["level"][0] + params["level"][1]
    return ((features[:, None] * gate) @ params["head"][0] + params["head"][1])[..., 0]


def huber(value: Any, level: Any, target: Any) -> Any:
    error = target[:, None, :] - value[:, :, None]
    size = jnp.where(jnp.abs(error) <= 1, 0.5 * error**2, jnp.abs(error) - 0.5)
    return (jnp.abs(level[:, :, None] - (error < 0)) * size).mean()


def distance(x: Any, y: Any) -> Any:
    """Maximum mean discrepancy with the kernel -|x - y|, in one state."""

    def mean(p: Any, q: Any) -> Any:
        squares = ((p[:, None] - q[None]) ** 2).sum(-1)
        return jnp.where(squares > 0, jnp.sqrt(jnp.where(squares > 0, squares, 1.0)), 0.0).mean()

    return jnp.sqrt(jnp.maximum(2 * mean(x, y) - mean(x, x) - mean(y, y), 1e-12))


def init(space: Space, width: int) -> Any:
    keys = map(jax.random.key, count())
    inputs = sum(space)

    def member() -> Any:
        layers = [layer(next(keys), inputs, width), layer(next(keys), width, width)]
        return {"hidden": layers, "level": layer(next(keys), COSINES, width), "head": layer(next(keys), width, 1)}

    layers = [layer(next(keys), inputs, width), layer(next(keys), width, width)]
    actor = {"hidden": layers, "head": layer(next(keys), width, space.action)}
    critics = [member(), member()]
    return actor, critics, critics, OPTIMISER.init(actor), OPTIMISER.init(critics)


def update(state: Any, batch: Any, key: Any, levels: int, samples: int, moves: bool) -> Any:
    """One pass through the algorithm's loop."""
    actor, critics, targets, actor_state, critic_state = state
    size, actions = batch.action.shape
    noise_key, next_key, level_key, target_key, value_key, many_key, uniform_key = jax.random.split(key, 7)
    level = jax.random.uniform(level_key, (size, levels))
    target_level, value_level = (jax.random.uniform(k, (size, levels)) for k in (target_key, value_key))
    following = policy(actor, batch.next_obs, jax.random.normal(next_key, (size, actions)))
    lowest = jnp.stack([quantiles(t, batch.next_obs, following, target_level) for t in targets]).min(0)
    goal = batch.reward[:, None] + batch.discount[:, None] * lowest

    def critic_loss(params: Any) -> Any:
        return sum(huber(quantiles(p, batch.obs, batch.action, level), level, goal) for p in params)

    step, critic_state = OPTIMISER.update(jax.grad(critic_loss)(critics), critic_state)
    critics = optax.apply_updates(critics, step)

    def actor_loss(params: Any) -> Any:
        action = policy(params, batch.obs, jax.random.normal(noise_key, (size, actions)))
        values = jnp.stack([quantiles(c, batch.obs, action, value_level).mean(-1) for c in critics]).min(0)
        noise = jax.random.normal(many_key, (size, samples, actions))
        repeated = jnp.broadcast_to(batch.obs[:, None], (size, samples, batch.obs.shape[-1]))
        uniform = jax.random.uniform(uniform_key, noise.shape, minval=-1, maxval=1)
        return WEIGHT * jax.vmap(distance)(policy(params, repeated, noise), uniform).mean() - values.mean()

    if moves:
        step, actor_state = OPTIMISER.update(jax.grad(actor_loss)(actor), actor_state)
        actor = optax.apply_updates(actor, step)
    targets = jax.tree.map(lambda t, o: t + RATE * (o - t), targets, critics)
    return actor, critics, targets, actor_state, critic_state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="paper")
    parser.add_argument("--updates", type=int, default=4, help="of the literal one in each turn; an even number")
    arguments = parser.parse_args()
    size, space, updates = SIZES[arguments.size], Space(17, 6), arguments.updates
    recipe = size.apply(RECIPES["pacer-m"][1])
    batches, scaling = random_batches(BLOCK, size.batch, space), Moments.empty(space.observation).scaling()
    state = learner.init(recipe, space, jax.random.key(0))
    written = init(space, size.hidden[0])
    one = jax.jit(update, static_argnames=("levels", "samples", "moves"))

    def ours() -> Any:
        nonlocal state
        state, metrics, _ = learner.learn(recipe, state, batches, scaling, jax.random.key(1))
        return metrics

    def literal() -> Any:
        nonlocal written
        for number in range(updates):
            batch = jax.tree.map(lambda part, n=number: part[n], batches)
            moves = (number + 1) % recipe.policy_delay == 0
            key = jax.random.key(number)
            written = one(written, batch, key, levels=size.levels, samples=size.samples, moves=moves)
        return written

    times = in_turns({"ours": ours, "literal": literal}, REPEATS)
    mine, other = 1e3 * times["ours"] / BLOCK, 1e3 * times["literal"] / updates
    lines = [f"| one update, {arguments.size} | ms |", "|---|--:|", f"| ours (`pacer-m`) | {mine:.1f} |"]
    keep("literal", "\n".join([*lines, f"| as printed | {other:.1f} |", f"| ratio | **{other / mine:.1f}** |"]))


if __name__ == "__main__":
    main()
