"""Contracts over all critics."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.pieces.types import Returns, Transition
from tests.small import CRITICS, SPACE


@pytest.fixture(params=CRITICS.values(), ids=CRITICS.keys())
def critic(request):
    return request.param


def batch(size=6):
    keys = jax.random.split(jax.random.key(1), 4)
    obs, next_obs = jax.random.normal(keys[0], (2, size, SPACE.observation))
    action = jax.random.uniform(keys[1], (size, SPACE.action), minval=-1, maxval=1)
    return Transition(obs, action, jax.random.normal(keys[2], (size,)), next_obs, jnp.full(size, 0.9))


def target(b):
    def bootstrap(returns: Returns) -> Returns:
        first = returns.of_sample(0)
        return first._replace(value=b.reward[:, None] + b.discount[:, None] * first.value)

    return bootstrap


def loss(critic, network, frozen, b, key=3):
    return critic.loss(network, frozen, b, b.action[None], target(b), jax.random.key(key))


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
    assert critic.lower(returns).value.shape[:-1] == (3, 6)
    one = jax.jit(critic.returns)(network, b.obs, actions[1], jax.random.key(2))
    np.testing.assert_allclose(one.value, returns.value[:, 1], atol=1e-5)


def test_loss_reaches_online_parameters_only(critic):
    b = batch()
    online, frozen = critic.init(jax.random.key(0), SPACE), critic.init(jax.random.key(5), SPACE)

    def value(params, frozen_params):
        return loss(critic, online._replace(params=params), frozen._replace(params=frozen_params), b)[0]

    gradient, frozen_gradient = jax.jit(jax.grad(value, argnums=(0, 1)))(online.params, frozen.params)
    for leaf in jax.tree.leaves(gradient):
        assert jnp.isfinite(leaf).all()
        assert jnp.abs(leaf).max() > 0
    assert max(jnp.abs(leaf).max() for leaf in jax.tree.leaves(frozen_gradient)) == 0


def test_value_gradient_reaches_the_action(critic):
    b = batch()
    network = critic.init(jax.random.key(0), SPACE)
    gradient = jax.jit(jax.grad(lambda a: critic.returns(network, b.obs, a, jax.random.key(2)).mean().sum()))(b.action)
    assert (jnp.abs(gradient).sum(-1) > 0).all()


def test_lower_is_not_above_the_members_mean(critic):
    b = batch()
    network = critic.init(jax.random.key(0), SPACE)
    returns = jax.jit(critic.returns)(network, b.obs, b.action, jax.random.key(2))
    assert (critic.lower(returns).mean() <= returns.mean().mean(0) + 1e-5).all()
