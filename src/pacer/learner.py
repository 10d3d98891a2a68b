"""The one learner: any recipe becomes one compiled block of updates.

One update, for every recipe: the critic learns its target, the actor climbs the critic, the encourager's weight and
the target networks follow. The equations are in `critic_loss` and `actor_loss`.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from pacer.pieces.encouragers.base import Seen
from pacer.pieces.numbers import Numbers, apart, together
from pacer.pieces.optimisers import steeper
from pacer.pieces.recipe import Recipe
from pacer.pieces.scaling import Scaling
from pacer.pieces.types import Actions, Array, Network, Networks, Returns, Space, Transition

Metrics = dict[str, Array]


class Optimisers(NamedTuple):
    actor: optax.OptState
    critic: optax.OptState


class TrainState(NamedTuple):
    """All that learning changes."""

    online: Networks
    target: Networks
    optimisers: Optimisers
    weight: Any
    updates: Array


def init(recipe: Recipe, space: Space, key: Array) -> TrainState:
    """The state before the first update."""
    return compiled_init(*apart(recipe), space, key)


@partial(jax.jit, static_argnames=("recipe", "space"))
def compiled_init(recipe: Recipe, numbers: Numbers, space: Space, key: Array) -> TrainState:
    recipe = together(recipe, numbers)
    actor_key, critic_key = jax.random.split(key)
    online = Networks(recipe.actor.init(actor_key, space), recipe.critic.init(critic_key, space))
    optimisers = Optimisers(
        recipe.actor_optimiser.transform().init(online.actor.params),
        recipe.critic.transform(recipe.critic_optimiser).init(online.critic.params),
    )
    weight = recipe.weight.init(recipe.encourager, space)
    # Targets are copies, not aliases: the state is donated, and a buffer can be given away only once.
    return TrainState(online, jax.tree.map(jnp.copy, online), optimisers, weight, jnp.zeros((), jnp.int32))


def learn(
    recipe: Recipe, state: TrainState, batches: Transition, scaling: Scaling, key: Array
) -> tuple[TrainState, Metrics, Array]:
    """One update per leading row of `batches`; metrics are means over the block; whether all of it is finite.

    Those of the actor are no numbers where it did not move.

    The state is given away. Recipes that differ in traced numbers alone are compiled once.
    """
    return compiled_learn(*apart(recipe), state, batches, scaling, key)


def learn_together(
    recipe: Recipe, states: TrainState, batches: Transition, scalings: Scaling, keys: Array
) -> tuple[TrainState, Metrics, Array]:
    """`learn` for several runs in one block: all has a row per run, but the count of updates, which they share."""
    return compiled_learn_together(*apart(recipe), states, batches, scalings, keys)


@partial(jax.jit, static_argnames="recipe", donate_argnames="state")
def compiled_learn(
    recipe: Recipe, numbers: Numbers, state: TrainState, batches: Transition, scaling: Scaling, key: Array
) -> tuple[TrainState, Metrics, Array]:
    return block(together(recipe, numbers), state, batches, scaling, key)


@partial(jax.jit, static_argnames="recipe", donate_argnames="states")
def compiled_learn_together(
    recipe: Recipe, numbers: Numbers, states: TrainState, batches: Transition, scalings: Scaling, keys: Array
) -> tuple[TrainState, Metrics, Array]:
    # One count for all: `cond` on a count per run would compute both branches, and a delayed step would save nothing.
    rows = TrainState(online=0, target=0, optimisers=0, weight=0, updates=None)  # type: ignore[arg-type]
    one = partial(block, together(recipe, numbers))
    return jax.vmap(one, in_axes=(rows, 0, 0, 0), out_axes=(rows, 0, 0))(states, batches, scalings, keys)


def block(
    recipe: Recipe, state: TrainState, batches: Transition, scaling: Scaling, key: Array
) -> tuple[TrainState, Metrics, Array]:
    steps = (batches, jax.random.split(key, batches.reward.shape[0]))
    state, (critic, actor, moved) = jax.lax.scan(lambda s, x: update(recipe, s, x[0], scaling, x[1]), state, steps)
    state = state._replace(weight=recipe.weight.end_block(state.weight))
    told = recipe.weight.metrics(state.weight) | {name: value.mean() for name, value in critic.items()}
    moves = {name: (moved * value).sum() for name, value in actor.items()}
    finite = jnp.stack([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves((state, told, moves))]).all()
    return state, told | {name: total / moved.sum() for name, total in moves.items()}, finite


@partial(jax.jit, static_argnames="recipe")
def rescaled(recipe: Recipe, state: TrainState, factor: Array) -> TrainState:
    """The state with returns `factor` times as large: a new unit of reward changes nothing that is known (PopArt).

    What the optimisers remember of the gradients follows: remembered in the old unit, it holds learning back for
    thousands of updates. The critic says how its loss follows, the actor's is a return; of a Huber loss whose
    threshold is in units of return, and of weights that keep their size, that is near enough. Not so of gradients
    that a clip holds at one size, whose steps are too short or too long for some hundred updates after a change.
    """

    def scaled(networks: Networks) -> Networks:
        params = recipe.critic.rescaled(networks.critic.params, factor)
        return networks._replace(critic=networks.critic._replace(params=params))

    optimisers = Optimisers(
        actor=steeper(state.optimisers.actor, jax.tree.map(lambda _: factor, state.online.actor.params)),
        critic=steeper(state.optimisers.critic, recipe.critic.steepness(state.online.critic.params, factor)),
    )
    weight = recipe.weight.rescaled(state.weight, factor)
    return TrainState(scaled(state.online), scaled(state.target), optimisers, weight, state.updates)


def update(
    recipe: Recipe, state: TrainState, batch: Transition, scaling: Scaling, key: Array
) -> tuple[TrainState, tuple[Metrics, Metrics, Array]]:
    """One gradient step: metrics of critic and actor, and whether the actor moved."""
    critic_key, actor_key = jax.random.split(key)
    batch = prepare(recipe, batch, scaling)
    if batch.reward.ndim > 1:  # steps that follow each other, of which targets count several rewards
        if recipe.return_correction > 0:
            batch = corrected(recipe, state, batch, jax.random.fold_in(key, 2))
        batch = batch.joined(counted(recipe, batch, jax.random.fold_in(key, 3)))
    state, critic_metrics = update_critic(recipe, state, batch, critic_key)
    move = partial(update_actor, recipe, batch=batch, key=actor_key)
    moves = (state.updates + 1) % recipe.policy_delay == 0
    if recipe.policy_delay == 1:
        state, actor_metrics = move(state)
    else:
        state, actor_metrics = jax.lax.cond(moves, move, partial(rest, move), state)
    state = state._replace(target=follow(recipe, state), updates=state.updates + 1)
    return state, (critic_metrics, actor_metrics, moves)


def prepare(recipe: Recipe, batch: Transition, scaling: Scaling) -> Transition:
    """Raw transitions made ready: utility and scale for the reward, normalisation for the observations."""
    return batch._replace(
        obs=scaling.normalise(batch.obs, jnp),
        next_obs=scaling.normalise(batch.next_obs, jnp),
        reward=recipe.reward_scale * recipe.utility.shape(batch) / scaling.unit,
    )


def counted(recipe: Recipe, steps: Transition, key: Array) -> Array:
    """How many rewards each target counts (B,): one, and with the chance of `return_decay` one more, and so on.

    In the mean over the draws that is the target of TD(lambda), cut off, for the price of a single one.
    """
    further = jax.random.bernoulli(key, recipe.return_decay, steps.reward[1:].shape)
    return 1 + jnp.cumprod(further, axis=0).sum(0)


def corrected(recipe: Recipe, state: TrainState, steps: Transition, key: Array) -> Transition:
    """Steps that follow each other (steps, B), each later one with what the policy gains there on what was played.

    By the target critic. So what was played may be anything, and takes no density to correct for (Q(lambda) with
    off-policy corrections, Harutyunyan et al. 2016).
    """
    action_key, value_key, penalty_key = jax.random.split(key, 3)
    later = jax.tree.map(lambda part: part[1:].reshape(-1, *part.shape[2:]), steps)
    there = later._replace(next_obs=later.obs)
    actions, _ = recipe.backup.actions(recipe.actor, state.online, state.target, there, action_key)

    def returns(action: Array) -> Returns:
        return recipe.critic.returns(state.target.critic, later.obs, action, value_key)

    value = following(recipe, state, returns(actions.action), actions, penalty_key).mean()
    played = recipe.target_pessimism.combine(returns(later.action[None]), recipe.risk).at(0).mean()
    gain = recipe.return_correction * (value - played).reshape(steps.reward[1:].shape)
    return steps._replace(reward=jnp.asarray(steps.reward).at[1:].add(gain))


def following(recipe: Recipe, state: TrainState, returns: Returns, actions: Actions, key: Array) -> Returns:
    """What the return of a state is worth in a target, out of those of its next actions (M, N, B, K)."""
    pessimistic = recipe.target_pessimism.combine(returns, recipe.risk)
    found = recipe.backup.following(pessimistic, actions, recipe.risk)
    if not recipe.backup.penalty_in_return:
        return found
    penalty = recipe.weight.value(state.weight) * recipe.encourager.penalty(actions, key)
    return found._replace(value=found.value - penalty[:, None])


def critic_loss(params: Any, recipe: Recipe, state: TrainState, batch: Transition, key: Array) -> tuple[Array, Any]:
    """Distributional TD error of Z(s, a) against r + discount * (Z(s', a') - weight * penalty(s', a'))."""
    action_key, key, penalty_key = jax.random.split(key, 3)
    online, target = Network(params, state.online.critic.stats), state.target.critic
    actions, actor_stats = recipe.backup.actions(recipe.actor, state.online, state.target, batch, action_key)
    predicted, returns, *critic_stats = recipe.critic.pair(online, target, batch, actions.action, key)
    after = following(recipe, state, returns, actions, penalty_key)
    value = batch.reward[:, None] + batch.discount[:, None] * after.value
    goal = jax.lax.stop_gradient(after._replace(value=value))
    error = recipe.critic.error(online, batch, predicted, goal)
    return error, (predicted.mean().mean(), actor_stats, *critic_stats)


def actor_loss(params: Any, recipe: Recipe, state: TrainState, batch: Transition, key: Array) -> tuple[Array, Any]:
    """weight * penalty - phi(Z(s, a)) for action samples a = pi(s, noise).

    The gradient of the value goes through the action samples alone (SUVPG): its slope at a sample is a constant that
    says where the sample should go.
    """
    noise_key, density_key, value_key, *penalty_keys = jax.random.split(key, 6)
    actor, critic = Network(params, state.online.actor.stats), state.online.critic
    noise = recipe.actor.noise(noise_key, batch.space, (recipe.improvement.actions, batch.obs.shape[0]))
    samples = recipe.improvement.samples(recipe.actor, actor, batch.obs, noise, density_key)

    def value_of(action: Array) -> Array:
        returns = recipe.critic.returns(critic, batch.obs, action, value_key)
        return recipe.risk.value(recipe.actor_pessimism.combine(returns, recipe.risk))

    value, slope_at = jax.vjp(value_of, samples.valued)
    (slope,) = slope_at(jnp.ones_like(value))
    direction = recipe.improvement.direction(samples.moved.action, samples.valued, slope)
    gain = (jax.lax.stop_gradient(direction) * samples.moved.action).sum(-1).mean()
    penalty, spread = penalise(recipe, actor, batch, samples.moved, penalty_keys)
    loss = recipe.weight.value(state.weight) * penalty - value.mean()
    seen = Seen(penalty, force=jnp.linalg.norm(slope, axis=-1).mean(), spread=spread)
    # The loss is worth what it says, and slopes where the direction points.
    return loss - (gain - jax.lax.stop_gradient(gain)), (value.mean(), seen, samples.stats)


def penalise(
    recipe: Recipe, actor: Network, batch: Transition, actions: Actions, keys: list[Array]
) -> tuple[Array, Array]:
    """The encourager's mean penalty, of the valued actions or of many samples in a few states, and their spread."""
    noise_key, density_key, penalty_key = keys
    if recipe.encourager.samples > 1:
        obs = batch.obs[: recipe.encourager.states]
        noise = recipe.actor.noise(noise_key, batch.space, (recipe.encourager.count(batch.space), len(obs)))
        actions, _ = recipe.actor.sample(actor, obs, noise, density_key)
    penalty = recipe.encourager.penalty(actions, penalty_key).mean()
    return penalty, recipe.encourager.spread(actions, penalty)


def update_critic(recipe: Recipe, state: TrainState, batch: Transition, key: Array) -> tuple[TrainState, Metrics]:
    online, target = state.online, state.target
    loss = jax.value_and_grad(critic_loss, has_aux=True)
    (error, (mean, actor_stats, stats, target_stats)), gradient = loss(online.critic.params, recipe, state, batch, key)
    transform = recipe.critic.transform(recipe.critic_optimiser)
    params, optimiser = descend(transform, gradient, state.optimisers.critic, online.critic.params)
    state = state._replace(
        online=online._replace(critic=Network(params, stats)),
        target=Networks(target.actor._replace(stats=actor_stats), target.critic._replace(stats=target_stats)),
        optimisers=state.optimisers._replace(critic=optimiser),
    )
    return state, {"critic_loss": error, "predicted_return": mean}


def update_actor(recipe: Recipe, state: TrainState, batch: Transition, key: Array) -> tuple[TrainState, Metrics]:
    """The actor, and the encourager's weight after it."""
    actor = state.online.actor
    loss = jax.value_and_grad(actor_loss, has_aux=True)
    (error, (value, seen, stats)), gradient = loss(actor.params, recipe, state, batch, key)
    transform = recipe.actor_optimiser.transform()
    params, optimiser = descend(transform, gradient, state.optimisers.actor, actor.params)
    state = state._replace(
        online=state.online._replace(actor=Network(params, stats)),
        optimisers=state.optimisers._replace(actor=optimiser),
        weight=recipe.weight.update(state.weight, seen),
    )
    return state, {"actor_loss": error, "value": value, "force": seen.force, **recipe.encourager.metrics(seen)}


def rest(move: Any, state: TrainState) -> tuple[TrainState, Metrics]:
    """The actor stays as it is; its metrics are zeros of the right shape."""
    _, metrics = jax.eval_shape(move, state)
    return state, jax.tree.map(lambda m: jnp.zeros(m.shape, m.dtype), metrics)


def follow(recipe: Recipe, state: TrainState) -> Networks:
    """Target parameters take a step towards the online ones; statistics are each network's own."""
    rate: Array | float = recipe.averaging.rate
    if recipe.averaging.period > 1:
        rate = jnp.where((state.updates + 1) % recipe.averaging.period == 0, rate, 0.0)

    def approach(target: Network, online: Network) -> Network:
        return target._replace(params=jax.tree.map(lambda t, o: t + rate * (o - t), target.params, online.params))

    return Networks(*map(approach, state.target, state.online))


def descend(transform: optax.GradientTransformation, gradient: Any, optimiser: Any, params: Any) -> tuple[Any, Any]:
    step, optimiser = transform.update(gradient, optimiser, params)
    return optax.apply_updates(params, step), optimiser
