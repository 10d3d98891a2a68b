"""The one learner: any recipe becomes one compiled block of updates.

Order inside an update, for every recipe: critic, actor, weight, targets.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax

from pacer.pieces.recipe import Recipe
from pacer.pieces.scaling import Scaling
from pacer.pieces.types import Array, Network, Networks, Space, Transition


class TrainState(NamedTuple):
    """All that learning changes."""

    online: Networks
    target: Networks
    optimiser: Networks
    weight: Any
    updates: Array


@partial(jax.jit, static_argnames=("recipe", "space"))
def init(recipe: Recipe, space: Space, key: Array) -> TrainState:
    actor_key, critic_key = jax.random.split(key)
    online = Networks(recipe.actor.init(actor_key, space), recipe.critic.init(critic_key, space))
    optimiser = Networks(
        optax.adam(recipe.actor_learning_rate).init(online.actor.params),
        optax.adam(recipe.critic_learning_rate).init(online.critic.params),
    )
    weight = recipe.weight.init(recipe.encourager, space)
    # Targets are copies, not aliases: the state is donated, and a buffer can be given away only once.
    return TrainState(online, jax.tree.map(jnp.copy, online), optimiser, weight, jnp.zeros((), jnp.int32))


@partial(jax.jit, static_argnames="recipe", donate_argnames="state")
def learn(
    recipe: Recipe, state: TrainState, batches: Transition, scaling: Scaling, key: Array
) -> tuple[TrainState, dict[str, Array]]:
    """One update per leading row of `batches`; metrics are means over the block."""
    steps = (batches, jax.random.split(key, batches.reward.shape[0]))
    state, (critic, actor, moved) = jax.lax.scan(lambda s, x: update(recipe, s, x[0], scaling, x[1]), state, steps)
    state = state._replace(weight=recipe.weight.end_block(state.weight))
    actor = {name: (moved * value).sum() / jnp.maximum(moved.sum(), 1) for name, value in actor.items()}
    critic = {name: value.mean() for name, value in critic.items()}
    return state, {**critic, **actor, **recipe.weight.metrics(state.weight)}


def update(
    recipe: Recipe, state: TrainState, batch: Transition, scaling: Scaling, key: Array
) -> tuple[TrainState, tuple[dict[str, Array], dict[str, Array], Array]]:
    """One gradient step: metrics of critic and actor, and whether the actor moved."""
    critic_key, actor_key = jax.random.split(key)
    batch = prepare(recipe, batch, scaling)
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
        reward=recipe.reward_scale * recipe.utility.shape(batch),
    )


def update_critic(
    recipe: Recipe, state: TrainState, batch: Transition, key: Array
) -> tuple[TrainState, dict[str, Array]]:
    """Distributional TD learning towards the backup's target."""
    action_key, loss_key = jax.random.split(key)
    actions = recipe.backup.actions(recipe, state.online, state.target, batch, action_key)
    weight = recipe.weight.value(state.weight)
    target = partial(recipe.backup.target, recipe, weight, batch, actions)

    def loss(params: Any) -> Any:
        online = Network(params, state.online.critic.stats)
        return recipe.critic.loss(online, state.target.critic, batch, actions.action, target, loss_key)

    (value, (stats, metrics)), gradient = jax.value_and_grad(loss, has_aux=True)(state.online.critic.params)
    params, optimiser = descend(
        recipe.critic_learning_rate, gradient, state.optimiser.critic, state.online.critic.params
    )
    state = state._replace(
        online=state.online._replace(critic=Network(recipe.critic.project(params), stats)),
        optimiser=state.optimiser._replace(critic=optimiser),
    )
    return state, {"critic_loss": value, **metrics}


def update_actor(
    recipe: Recipe, state: TrainState, batch: Transition, key: Array
) -> tuple[TrainState, dict[str, Array]]:
    """The policy gradient through the action samples, and the encourager's weight after it."""
    weight = recipe.weight.value(state.weight)

    def loss(params: Any) -> Any:
        actor = Network(params, state.online.actor.stats)
        return recipe.improvement.loss(actor, recipe, state.online, weight, batch, key)

    (value, metrics), gradient = jax.value_and_grad(loss, has_aux=True)(state.online.actor.params)
    params, optimiser = descend(recipe.actor_learning_rate, gradient, state.optimiser.actor, state.online.actor.params)
    state = state._replace(
        online=state.online._replace(actor=Network(params, state.online.actor.stats)),
        optimiser=state.optimiser._replace(actor=optimiser),
        weight=recipe.weight.update(state.weight, metrics["distance"]),
    )
    return state, {"actor_loss": value, **metrics}


def rest(move: Any, state: TrainState) -> tuple[TrainState, dict[str, Array]]:
    """The actor stays as it is; its metrics are zeros of the right shape."""
    _, metrics = jax.eval_shape(move, state)
    return state, jax.tree.map(lambda m: jnp.zeros(m.shape, m.dtype), metrics)


def follow(recipe: Recipe, state: TrainState) -> Networks:
    """Target networks take a step towards the online ones."""
    rate: Array = recipe.averaging.rate
    if recipe.averaging.period > 1:
        rate = jnp.where((state.updates + 1) % recipe.averaging.period == 0, rate, 0.0)
    return jax.tree.map(lambda target, online: target + rate * (online - target), state.target, state.online)


def descend(learning_rate: float, gradient: Any, optimiser: Any, params: Any) -> tuple[Any, Any]:
    """One Adam step."""
    step, optimiser = optax.adam(learning_rate).update(gradient, optimiser)
    return optax.apply_updates(params, step), optimiser
