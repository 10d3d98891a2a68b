"""Contracts over all critics."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.learner import TrainState, critic_loss
from pacer.pieces import (
    MLP,
    Categorical,
    Deterministic,
    Expected,
    LowestAtoms,
    LowestMember,
    Networks,
    Neutral,
    Quantile,
    Recipe,
    Returns,
    Transition,
    TruncatedPool,
)
from pacer.pieces.critics.levels import even_levels
from tests.small import CRITICS, SPACE, each

BATCH_NORMED = [critic for name, critic in CRITICS.items() if "batch norm" in name]


@pytest.fixture(params=each(CRITICS))
def critic(request):
    return request.param


def batch(size=6):
    keys = jax.random.split(jax.random.key(1), 4)
    obs, next_obs = jax.random.normal(keys[0], (2, size, SPACE.observation))
    action = jax.random.uniform(keys[1], (size, SPACE.action), minval=-1, maxval=1)
    return Transition(obs, action, jax.random.normal(keys[2], (size,)), next_obs, jnp.full(size, 0.9))


@partial(jax.jit, static_argnums=0)
def look(critic, network, obs, actions):
    """Returns of many actions per state and of the first; the slope of its value; statistics after learning."""
    key = jax.random.key(2)

    def value(action):
        one = critic.returns(network, obs, action, key)
        return one.mean().sum(), one

    slope, one = jax.grad(value, has_aux=True)(actions[0])
    _, stats = critic.evaluate(network, obs, actions[0], key, training=True)
    return critic.returns(network, obs, actions, key), one, slope, stats


def looked(critic):
    b = batch()
    actions = jnp.stack([b.action, -b.action, 0 * b.action])
    return look(critic, critic.init(jax.random.key(0), SPACE), b.obs, actions)


def test_rescaled_networks_have_returns_as_many_times_as_large(critic):
    if isinstance(critic, Categorical):
        pytest.skip("its returns lie between bounds")
    b, network = batch(), critic.init(jax.random.key(0), SPACE)
    larger = network._replace(params=critic.rescaled(network.params, 4.0))
    plain, scaled = (critic.returns(n, b.obs, b.action, jax.random.key(2)) for n in (network, larger))
    np.testing.assert_allclose(scaled.value, 4 * plain.value, rtol=1e-6)
    np.testing.assert_array_equal(scaled.mass, plain.mass)


def test_returns_have_members_samples_states_and_atoms(critic):
    returns, one, *_ = looked(critic)
    assert returns.value.shape[:-1] == (critic.members, 3, 6)
    np.testing.assert_allclose(returns.mass.sum(-1), 1, rtol=1e-5)
    level = np.asarray(returns.level)
    assert (np.diff(level, axis=-1) > 0).all()
    assert ((level > 0) & (level < 1)).all()
    np.testing.assert_allclose(one.value, returns.value[:, 0], atol=1e-5)


def test_levels_of_a_states_own_give_what_shared_ones_do():
    quantile, seen = CRITICS["quantile, own levels"], batch()
    network, level = quantile.init(jax.random.key(0), SPACE), jnp.linspace(0.1, 0.9, 3)
    shared, _ = quantile.at(network, seen.obs, seen.action[None], level)
    own, _ = quantile.at(network, seen.obs, seen.action[None], jnp.broadcast_to(level, (len(seen.obs), 3)))
    np.testing.assert_allclose(own, shared, atol=1e-5)


def test_value_gradient_reaches_the_action(critic):
    _, _, slope, _ = looked(critic)
    assert (jnp.abs(slope).sum(-1) > 0).all()


def test_pessimism_is_not_above_the_members_mean(critic):
    returns, *_ = looked(critic)
    wholes = (LowestMember(),)
    for pessimism in wholes if isinstance(critic, Categorical) else (*wholes, LowestAtoms(), TruncatedPool(0.25)):
        lower = pessimism.combine(returns, Neutral())
        assert lower.value.shape[:-1] == (3, 6)
        assert (lower.mean() <= returns.mean().mean(0) + 1e-5).all(), pessimism


def test_only_a_learning_critic_with_statistics_moves_them(critic):
    *_, moved = looked(critic)
    before = critic.init(jax.random.key(0), SPACE).stats
    changes = [not np.array_equal(*pair) for pair in zip(*map(jax.tree.leaves, (moved, before)), strict=True)]
    assert all(changes)
    assert bool(changes) == (critic in BATCH_NORMED)


def test_loss_reaches_online_parameters_only(critic):
    actor = Deterministic(MLP((8,)))
    recipe = Recipe(actor, critic, target_pessimism=LowestMember())
    online, target = (
        Networks(actor.init(jax.random.key(0), SPACE), critic.init(jax.random.key(k), SPACE)) for k in (0, 5)
    )

    @jax.jit
    def gradients(params, frozen, b):
        def value(params, frozen):
            state = TrainState(online, target._replace(critic=target.critic._replace(params=frozen)), None, (), 0)
            return critic_loss(params, recipe, state, b, jax.random.key(3))[0]

        return jax.grad(value, argnums=(0, 1))(params, frozen)

    gradient, frozen = gradients(online.critic.params, target.critic.params, batch())
    for path, leaf in jax.tree.leaves_with_path(gradient):
        assert jnp.isfinite(leaf).all()
        assert jnp.abs(leaf).max() > 0 or cancelled(critic, path), path
    assert max(jnp.abs(leaf).max() for leaf in jax.tree.leaves(frozen)) == 0


def cancelled(critic, path):
    """A batch's own mean takes away the bias before it."""
    return critic in BATCH_NORMED and jax.tree_util.keystr(path[-1:], simple=True) == "bias"


@pytest.mark.parametrize("shared", [True, False])
def test_a_mean_with_a_head_of_its_own_is_learned_as_by_a_scalar_critic(shared):
    b, key = batch(), jax.random.key(2)
    critic = Quantile(MLP((8, 8)), levels=6, shared_levels=shared, mean="head")
    network = critic.init(jax.random.key(0), SPACE)
    scalar = tuple({"body": member["body"], "head": member["head"]} for member in network.params)
    goal = Returns(10 * jax.random.normal(jax.random.key(3), (6, 5)), *even_levels(5))

    def error(params):
        predicted, _ = critic.evaluate(network._replace(params=params), b.obs, b.action, key, training=True)
        return critic.error(network, b, predicted, goal)

    def scalar_error(params):
        predicted, _ = Expected(MLP((8, 8))).evaluate(network._replace(params=params), b.obs, b.action, key)
        return 0.5 * ((predicted.mean() - goal.mean()) ** 2).mean(-1).sum()

    slope, expected = jax.jit(jax.grad(error))(network.params), jax.jit(jax.grad(scalar_error))(scalar)
    for member, other in zip(slope, expected, strict=True):
        close(member["body"], other["body"])
        close(member["head"], other["head"])
        assert np.abs(member["shape"]["level"]).max() > 1e-3


def test_a_mean_with_a_head_of_its_own_is_the_mean_of_all_levels():
    critic = Quantile(MLP((8, 8)), levels=6, mean="head")
    b, network = batch(), critic.init(jax.random.key(0), SPACE)
    drawn = critic.returns(network, b.obs, b.action, jax.random.key(2)).mean()
    levels, mass = even_levels(1_000)
    value, _ = critic.at(network, b.obs, b.action, levels)
    np.testing.assert_allclose((mass * value).sum(-1), drawn, atol=1e-4)
    assert np.asarray(value).std(-1).min() > 1e-3


def close(found, expected):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4), found, expected)
