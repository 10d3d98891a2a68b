"""Contracts over all critics."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer import learner
from pacer.pieces import (
    MLP,
    Categorical,
    Deterministic,
    FirstMember,
    LowestAtoms,
    LowestMember,
    MeanMinusDeviation,
    MeanOfMembers,
    Neutral,
    Recipe,
    Transition,
    TruncatedPool,
)
from tests.small import CRITICS, SPACE

BATCH_NORMED = [critic for name, critic in CRITICS.items() if "batch norm" in name]


@pytest.fixture(params=CRITICS.values(), ids=CRITICS.keys())
def critic(request):
    return request.param


def batch(size=6):
    keys = jax.random.split(jax.random.key(1), 4)
    obs, next_obs = jax.random.normal(keys[0], (2, size, SPACE.observation))
    action = jax.random.uniform(keys[1], (size, SPACE.action), minval=-1, maxval=1)
    return Transition(obs, action, jax.random.normal(keys[2], (size,)), next_obs, jnp.full(size, 0.9))


def pessimisms(critic):
    """Those that make sense for the critic."""
    whole = [LowestMember(), FirstMember()]
    if isinstance(critic, Categorical):
        return whole
    return [*whole, LowestAtoms(), MeanOfMembers(), MeanMinusDeviation(0.5), TruncatedPool(0.25)]


def test_returns_have_members_samples_states_and_atoms(critic):
    b = batch()
    network = critic.init(jax.random.key(0), SPACE)
    actions = jnp.stack([b.action, -b.action, 0 * b.action])
    returns = jax.jit(critic.returns)(network, b.obs, actions, jax.random.key(2))
    assert returns.value.shape[:-1] == (critic.members, 3, 6)
    np.testing.assert_allclose(returns.mass.sum(-1), 1, rtol=1e-5)
    level = np.asarray(returns.level)
    assert (np.diff(level, axis=-1) > 0).all()
    assert ((level > 0) & (level < 1)).all()
    for pessimism in pessimisms(critic):
        assert pessimism.combine(returns, Neutral()).value.shape[:-1] == (3, 6)
    one = jax.jit(critic.returns)(network, b.obs, actions[1], jax.random.key(2))
    np.testing.assert_allclose(one.value, returns.value[:, 1], atol=1e-5)


def test_loss_reaches_online_parameters_only(critic):
    b = batch()
    recipe = Recipe(Deterministic(MLP((8,))), critic, target_pessimism=LowestMember())
    state = learner.init(recipe, SPACE, jax.random.key(0))
    frozen = learner.init(recipe, SPACE, jax.random.key(5)).online

    def value(params, frozen_params):
        target = frozen._replace(critic=frozen.critic._replace(params=frozen_params))
        return learner.critic_loss(params, recipe, state._replace(target=target), b, jax.random.key(3))[0]

    gradient, frozen_gradient = jax.jit(jax.grad(value, argnums=(0, 1)))(
        state.online.critic.params, frozen.critic.params
    )
    for path, leaf in jax.tree.leaves_with_path(gradient):
        assert jnp.isfinite(leaf).all()
        assert jnp.abs(leaf).max() > 0 or cancelled(critic, path), path
    assert max(jnp.abs(leaf).max() for leaf in jax.tree.leaves(frozen_gradient)) == 0


def cancelled(critic, path):
    """A batch's own mean takes away the bias before it."""
    return critic in BATCH_NORMED and jax.tree_util.keystr(path[-1:], simple=True) == "bias"


def test_value_gradient_reaches_the_action(critic):
    b = batch()
    network = critic.init(jax.random.key(0), SPACE)
    gradient = jax.jit(jax.grad(lambda a: critic.returns(network, b.obs, a, jax.random.key(2)).mean().sum()))(b.action)
    assert (jnp.abs(gradient).sum(-1) > 0).all()


def test_pessimism_is_not_above_the_members_mean(critic):
    b = batch()
    network = critic.init(jax.random.key(0), SPACE)
    returns = jax.jit(critic.returns)(network, b.obs, b.action, jax.random.key(2))
    for pessimism in pessimisms(critic):
        if pessimism != FirstMember():
            assert (pessimism.combine(returns, Neutral()).mean() <= returns.mean().mean(0) + 1e-5).all(), pessimism


def test_only_a_learning_critic_moves_its_statistics(critic):
    b = batch()
    network = critic.init(jax.random.key(0), SPACE)
    _, kept = critic.evaluate(network, b.obs, b.action, jax.random.key(2))
    _, moved = critic.evaluate(network, b.obs, b.action, jax.random.key(2), training=True)
    assert all(np.array_equal(*pair) for pair in zip(*map(jax.tree.leaves, (kept, network.stats)), strict=True))
    changes = [not np.array_equal(*pair) for pair in zip(*map(jax.tree.leaves, (moved, network.stats)), strict=True)]
    assert all(changes)
    assert bool(changes) == (critic in BATCH_NORMED)
