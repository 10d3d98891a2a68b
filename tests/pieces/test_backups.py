"""Backups: hand values of the target, the next actions, and the soft maximum against its closed form."""

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import norm

from pacer.learner import TrainState, critic_loss
from pacer.pieces import (
    Actions,
    Critic,
    Deterministic,
    Entropy,
    Expected,
    Fixed,
    Gaussian,
    Network,
    Networks,
    Neutral,
    PolicyBackup,
    Recipe,
    Returns,
    SoftMaximum,
    Transition,
)
from pacer.pieces.critics.base import Pair
from tests.small import BODY, SPACE

BATCH = 5
SAC = Recipe(Gaussian(BODY), Expected(BODY), Entropy(), Fixed(0.5), PolicyBackup(penalty_in_return=True))
TD3 = Recipe(Deterministic(BODY), Expected(BODY), backup=PolicyBackup(target_actor=True))


def batch(size=BATCH):
    rng = np.random.default_rng(0)
    obs, next_obs = rng.normal(size=(2, size, SPACE.observation)).astype(np.float32)
    action = rng.uniform(-1, 1, (size, SPACE.action)).astype(np.float32)
    discount = np.where(np.arange(size) % 3 == 1, 0.0, 0.9).astype(np.float32)
    return Transition(obs, action, np.arange(size, dtype=np.float32), next_obs, discount)


def networks(actor, seed):
    return Networks(actor.init(jax.random.key(seed), SPACE), None)


@partial(jax.jit, static_argnums=0)
def next_actions(recipe, online, target, rows, key):
    return recipe.backup.actions(recipe.actor, online, target, rows, key)[0]


def following(rng, samples=1, atoms=4):
    value = rng.normal(size=(samples, BATCH, atoms)).astype(np.float32)
    mass = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    return Returns(value, np.cumsum(mass) - mass / 2, mass)


@dataclass(frozen=True)
class Told(Critic):
    """A critic whose next returns (M, N, B, K) are its parameters, and whose error is the goal itself."""

    distributional: ClassVar[bool] = True

    def init(self, key, space):
        raise NotImplementedError

    def evaluate(self, network, obs, action, key, training=False):
        return network.params, ()

    def pair(self, online, target, batch, next_action, key):
        assert next_action.shape[0] == target.params.value.shape[1]  # only the actions that are valued
        return Pair(online.params, target.params, (), ())

    def error(self, online, batch, predicted, goal):
        return goal


@dataclass(frozen=True)
class ToldMean(Told):
    distributional: ClassVar[bool] = False


def goal_of(recipe, rows, actions, returns):
    """The goal that the learner makes of next actions and what one critic member says of them."""

    class Backup(type(recipe.backup)):
        def actions(self, *arguments):
            return actions, ()

    critic = Told() if recipe.critic.distributional else ToldMean()
    recipe = replace(recipe, critic=critic, backup=Backup(**vars(recipe.backup)))
    told = Network(returns._replace(value=returns.value[None]))
    state = TrainState(Networks(None, told), Networks(None, told), None, (), 0)
    return critic_loss(told.params, recipe, state, rows, jax.random.key(0))[0]


class TestPolicyBackup:
    def test_target_is_reward_plus_discounted_return_per_atom(self):
        rows, returns = batch(), following(np.random.default_rng(1))
        actions = Actions(np.zeros((1, BATCH, 2), np.float32), None)
        goal = goal_of(TD3, rows, actions, returns)
        for state in range(BATCH):
            # State 1 and 4 are terminal: their next value is ignored.
            expected = state + (0.0 if state in (1, 4) else 0.9) * returns.value[0, state]
            np.testing.assert_allclose(goal.value[state], expected, rtol=1e-5)
        assert np.array_equal(goal.level, returns.level)
        assert np.array_equal(goal.mass, returns.mass)

    def test_levels_of_their_own_follow_their_state(self):
        rows, returns = batch(), following(np.random.default_rng(1))
        own = np.random.default_rng(2).dirichlet(np.ones(4), (1, BATCH)).astype(np.float32)
        returns = returns._replace(mass=own, level=np.cumsum(own, -1) - own / 2)
        goal = goal_of(TD3, rows, Actions(np.zeros((1, BATCH, 2), np.float32), None), returns)
        assert np.array_equal(goal.mass, own[0])

    @pytest.mark.parametrize("inside", [False, True])
    def test_penalty_is_part_of_the_return_only_when_asked(self, inside):
        recipe = replace(SAC, backup=PolicyBackup(penalty_in_return=inside))
        rows, returns = batch(), following(np.random.default_rng(1))
        log_prob = np.linspace(-2, 3, BATCH, dtype=np.float32)[None]
        goal = goal_of(recipe, rows, Actions(np.zeros((1, BATCH, 2), np.float32), log_prob), returns)
        entropy = 0.5 * log_prob[0][:, None] if inside else 0.0
        expected = rows.reward[:, None] + rows.discount[:, None] * (returns.value[0] - entropy)
        np.testing.assert_allclose(goal.value, expected, rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize("from_target", [False, True])
    def test_next_actions_come_from_the_named_actor_at_the_next_state(self, from_target):
        recipe = replace(TD3, backup=PolicyBackup(target_actor=from_target))
        rows, online, target = batch(), networks(recipe.actor, 1), networks(recipe.actor, 2)
        found = next_actions(recipe, online, target, rows, jax.random.key(0))
        expected = recipe.actor.greedy((target if from_target else online).actor, rows.next_obs, SPACE)
        np.testing.assert_allclose(found.action[0], expected, atol=1e-6)
        assert found.log_prob is None

    def test_a_stochastic_actor_gives_fresh_actions_with_their_density(self):
        rows, online = batch(), networks(SAC.actor, 1)
        first, again, other = (next_actions(SAC, online, online, rows, jax.random.key(k)) for k in (0, 0, 1))
        assert np.array_equal(first.action, again.action)
        assert (np.abs(first.action - other.action) > 1e-4).all()
        # The actions of noise 0 and 1 tell mean and deviation of the Gaussian before tanh.
        mean, one = (
            np.arctanh(SAC.actor.push(online.actor, rows.next_obs, np.full((BATCH, 2), noise, np.float32)))
            for noise in (0.0, 1.0)
        )
        action = np.asarray(first.action, np.float64)
        expected = norm.logpdf(np.arctanh(action), mean, one - mean) - np.log(1 - action**2)
        np.testing.assert_allclose(first.log_prob, expected.sum(-1), atol=1e-3)

    def test_smoothing_is_clipped_twice(self):
        recipe = replace(TD3, backup=PolicyBackup(target_actor=True, smoothing=0.2, smoothing_clip=0.3))
        rows = batch(4_000)
        target = networks(recipe.actor, 2)
        target = jax.tree.map(lambda x: 3 * x, target)  # some actions near the ends of the box
        found = np.asarray(next_actions(recipe, target, target, rows, jax.random.key(0)).action[0])
        plain = np.asarray(recipe.actor.greedy(target.actor, rows.next_obs, SPACE))
        blur = found - plain
        assert np.abs(found).max() <= 1
        assert (np.abs(found) == 1).any()
        assert np.abs(blur).max() == pytest.approx(0.3, abs=1e-5)
        free = np.abs(plain) < 0.7
        clipped = np.clip(0.2 * np.random.default_rng(1).normal(size=100_000), -0.3, 0.3)
        assert blur[free].std() == pytest.approx(clipped.std(), rel=0.05)
        assert blur[free].mean() == pytest.approx(0.0, abs=0.01)


class TestSoftMaximum:
    def soft(self, scale, particles=16, key=0):
        """The soft value of Q = scale cos(2 a_1) + s_1."""
        rows, backup = batch(), SoftMaximum(particles)

        @jax.jit
        def run(scale, key):
            actions, _ = backup.actions(None, None, Networks(Network(None), None), rows, key)
            value = scale * jnp.cos(2 * actions.action[..., :1]) + rows.next_obs[:, :1]
            soft = backup.following(Returns(value, jnp.full(1, 0.5), jnp.ones(1)), actions, Neutral())
            return actions.action, soft.value

        action, value = run(scale, jax.random.key(key))
        assert action.shape == (particles, BATCH, SPACE.action)
        assert np.abs(action).max() <= 1
        assert value.shape == (BATCH, 1)
        return np.asarray(action), np.asarray(value)[:, 0], rows.next_obs[:, 0]

    def test_constant_value_gives_itself_plus_the_log_volume_of_the_box(self):
        _, value, constant = self.soft(0.0)
        np.testing.assert_allclose(value, constant + SPACE.action * np.log(2), rtol=1e-4, atol=1e-5)

    def test_target_discounts_the_soft_value_and_ignores_it_after_the_end(self):
        recipe, rows = Recipe(Deterministic(BODY), Expected(BODY), backup=SoftMaximum(3)), batch()
        values = np.random.default_rng(1).normal(size=(3, BATCH, 1)).astype(np.float32)
        actions = Actions(np.zeros((3, BATCH, 2), np.float32), None)
        goal = goal_of(recipe, rows, actions, Returns(values, np.full(1, 0.5), np.ones(1)))
        soft = logsumexp(values[..., 0], axis=0) - np.log(3) + 2 * np.log(2)
        np.testing.assert_allclose(goal.value[:, 0], rows.reward + rows.discount * soft, rtol=1e-5)

    def test_many_particles_reach_the_integral(self):
        _, value, constant = self.soft(3.0, 20_000)
        volume = 2 * quad(lambda a: np.exp(3 * np.cos(2 * a)), -1, 1)[0]  # the second action is free
        np.testing.assert_allclose(value - constant, np.log(volume), atol=0.02)

    def test_a_large_scale_makes_it_the_maximum(self):
        gaps = []
        for scale in (1.0, 10.0, 1000.0):
            action, value, constant = self.soft(scale, 2_000)
            best = np.cos(2 * action[:, 0, 0]).max()
            gaps.append(np.abs((value - constant) / scale - best).max())
        assert gaps[0] > gaps[1] > gaps[2]
        assert gaps[2] < 0.01

    def test_particles_are_uniform_over_the_box_and_new_every_time(self):
        first, *_ = self.soft(0.0, 20_000)
        other, *_ = self.soft(0.0, 20_000, key=1)
        assert not np.array_equal(first, other)
        grid = np.linspace(-0.9, 0.9, 7)
        for dimension in range(SPACE.action):
            shares = [(first[:, 0, dimension] < edge).mean() for edge in grid]
            np.testing.assert_allclose(shares, (grid + 1) / 2, atol=0.02)
