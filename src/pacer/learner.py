"""The one learner: any recipe becomes one compiled block of updates.

One update, for every recipe: the critic learns its target, the actor climbs the critic, the encourager's weight and
the target networks follow. Each function below is one of these, in the order of its equations.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from pacer.pieces.recipe import Recipe
from pacer.pieces.scaling import Scaling
from pacer.pieces.types import Actions, Array, Network, Networks, Space, Transition

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


@partial(jax.jit, static_argnames=("recipe", "space"))
def init(recipe: Recipe, space: Space, key: Array) -> TrainState:
    actor_key, critic_key = jax.random.split(key)
    online = Networks(recipe.actor.init(actor_key, space), recipe.critic.init(critic_key, space))
    optimisers = Optimisers(
        recipe.actor_optimiser.transform().init(online.actor.params),
        recipe.critic.transform(recipe.critic_optimiser).init(online.critic.params),
    )
    weight = recipe.weight.init(recipe.encourager, space)
    # Targets are copies, not aliases: the state is donated, and a buffer can be given away only once.
    return TrainState(online, jax.tree.map(jnp.copy, online), optimisers, weight, jnp.zeros((), jnp.int32))


@partial(jax.jit, static_argnames="recipe", donate_argnames="state")
def learn(
    recipe: Recipe, state: TrainState, batches: Transition, scaling: Scaling, key: Array
) -> tuple[TrainState, Metrics, Array]:
    """One update per leading row of `batches`; metrics are means over the block; whether all of it is finite."""
    steps = (batches, jax.random.split(key, batches.reward.shape[0]))
    state, (critic, actor, moved) = jax.lax.scan(lambda s, x: update(recipe, s, x[0], scaling, x[1]), state, steps)
    state = state._replace(weight=recipe.weight.end_block(state.weight))
    actor = {name: (moved * value).sum() / jnp.maximum(moved.sum(), 1) for name, value in actor.items()}
    critic = {name: value.mean() for name, value in critic.items()}
    metrics = {**critic, **actor, **recipe.weight.metrics(state.weight)}
    finite = jnp.stack([jnp.isfinite(leaf).all() for leaf in jax.tree.leaves((state, metrics))]).all()
    return state, metrics, finite


def update(
    recipe: Recipe, state: TrainState, batch: Transition, scaling: Scaling, key: Array
) -> tuple[TrainState, tuple[Metrics, Metrics, Array]]:
    """One gradient step: metrics of critic and actor, and whether the actor moved."""
    critic_key, actor_key = jax.random.split(key)
    batch = batch._replace(
        obs=scaling.normalise(batch.obs, jnp),
        next_obs=scaling.normalise(batch.next_obs, jnp),
        reward=recipe.reward_scale * recipe.utility.shape(batch),
    )
    state, critic_metrics = update_critic(recipe, state, batch, critic_key)
    move = partial(update_actor, recipe, batch=batch, key=actor_key)
    moves = (state.updates + 1) % recipe.policy_delay == 0
    if recipe.policy_delay == 1:
        state, actor_metrics = move(state)
    else:
        state, actor_metrics = jax.lax.cond(moves, move, partial(rest, move), state)
    state = state._replace(target=follow(recipe, state), updates=state.updates + 1)
    return state, (critic_metrics, actor_metrics, moves)


def update_critic(recipe: Recipe, state: TrainState, batch: Transition, key: Array) -> tuple[TrainState, Metrics]:
    """Distributional TD learning: Z(s, a) towards psi(r) + discount * (Z(s', a') - weight * penalty(a'))."""
    action_key, key = jax.random.split(key)
    online, target = state.online, state.target
    actions, actor_stats = recipe.backup.actions(recipe.actor, online, target, batch, action_key)
    penalty: Array | float = 0.0
    if recipe.backup.penalty_in_return:
        penalties = recipe.encourager.penalty(actions, jax.random.key(0))  # a density needs no randomness
        penalty = recipe.weight.value(state.weight) * penalties[:, None]

    def loss(params: Any) -> Any:
        network = Network(params, online.critic.stats)
        predicted, returns, *stats = recipe.critic.pair(network, target.critic, batch, actions.action, key)
        returns = recipe.target_pessimism.combine(returns, recipe.risk)
        following = recipe.backup.following(returns, actions, recipe.risk)
        value = batch.reward[:, None] + batch.discount[:, None] * (following.value - penalty)
        goal = jax.lax.stop_gradient(following._replace(value=value))
        return recipe.critic.error(network, batch, predicted, goal), (predicted.mean().mean(), stats)

    (error, (mean, stats)), gradient = jax.value_and_grad(loss, has_aux=True)(online.critic.params)
    transform = recipe.critic.transform(recipe.critic_optimiser)
    params, optimiser = descend(transform, gradient, state.optimisers.critic, online.critic.params)
    state = state._replace(
        online=online._replace(critic=Network(recipe.critic.project(params), stats[0])),
        target=Networks(target.actor._replace(stats=actor_stats), target.critic._replace(stats=stats[1])),
        optimisers=state.optimisers._replace(critic=optimiser),
    )
    return state, {"critic_loss": error, "predicted_return": mean}


def update_actor(recipe: Recipe, state: TrainState, batch: Transition, key: Array) -> tuple[TrainState, Metrics]:
    """Up the risk measure's value of the actor's own samples, down their penalty; the weight after it.

    The gradient goes through the action samples alone (SUVPG): the slope of the value at a sample is a constant that
    says where the sample should go.
    """
    noise_key, density_key, value_key, *penalty_keys = jax.random.split(key, 6)
    actor, critic = state.online
    weight = recipe.weight.value(state.weight)
    noise = recipe.actor.noise(noise_key, batch.space, (recipe.improvement.actions, batch.obs.shape[0]))

    def value_of(action: Array) -> Array:
        returns = recipe.critic.returns(critic, batch.obs, action, value_key)
        return recipe.risk.value(recipe.actor_pessimism.combine(returns, recipe.risk))

    def loss(params: Any) -> Any:
        network = Network(params, actor.stats)
        samples = recipe.improvement.samples(recipe.actor, network, batch.obs, noise, density_key)
        value, slope_at = jax.vjp(value_of, samples.valued)
        direction = recipe.improvement.direction(samples.moved.action, samples.valued, *slope_at(jnp.ones_like(value)))
        penalty = penalise(recipe, network, batch, samples.moved, penalty_keys)
        gain = (jax.lax.stop_gradient(direction) * samples.moved.action).sum(-1).mean()
        return weight * penalty - gain, (samples.stats, value.mean(), penalty)

    (_, (stats, value, penalty)), gradient = jax.value_and_grad(loss, has_aux=True)(actor.params)
    transform = recipe.actor_optimiser.transform()
    params, optimiser = descend(transform, gradient, state.optimisers.actor, actor.params)
    state = state._replace(
        online=state.online._replace(actor=Network(params, stats)),
        optimisers=state.optimisers._replace(actor=optimiser),
        weight=recipe.weight.update(state.weight, penalty),
    )
    return state, {"actor_loss": weight * penalty - value, "value": value, recipe.encourager.measures: penalty}


def penalise(recipe: Recipe, actor: Network, batch: Transition, actions: Actions, keys: list[Array]) -> Array:
    """The encourager's mean penalty: of the valued actions, or of many samples in a few states."""
    noise_key, density_key, penalty_key = keys
    if recipe.encourager.samples > 1:
        obs = batch.obs[: recipe.encourager.states]
        noise = recipe.actor.noise(noise_key, batch.space, (recipe.encourager.samples, len(obs)))
        actions, _ = recipe.actor.sample(actor, obs, noise, density_key)
    return recipe.encourager.penalty(actions, penalty_key).mean()


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
