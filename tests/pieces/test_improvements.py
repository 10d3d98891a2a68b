"""Improvements: the Stein direction against a slow loop and hand values, and which critic member is followed."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.learner import TrainState, actor_loss
from pacer.pieces import (
    Actor,
    Ascent,
    Encourager,
    Expected,
    FirstMember,
    Fixed,
    LowestMember,
    MeanOfMembers,
    Network,
    Networks,
    Recipe,
    Returns,
    Stein,
    Transition,
)
from pacer.pieces.improvements import median_bandwidth, stein_direction

PARTICLES, BATCH, SIZE = 6, 3, 2
ROWS = Transition(
    np.random.default_rng(0).normal(size=(BATCH, 1)).astype(np.float32),
    np.zeros((BATCH, SIZE), np.float32),
    np.zeros(BATCH, np.float32),
    np.zeros((BATCH, 1), np.float32),
    np.zeros(BATCH, np.float32),
)


def slow_direction(still, moved, slope):
    """The definition, one state, particle and pair at a time, in float64."""
    result = np.zeros_like(moved, np.float64)
    count = len(still)
    for state in range(still.shape[1]):
        x, y = still[:, state].astype(np.float64), moved[:, state].astype(np.float64)
        squares = sorted((((a - b) ** 2).sum() for a in x for b in y), reverse=True)
        bandwidth = max(squares[len(squares) // 2] / np.log(count), 1e-3)  # the (n/2 + 1)-th largest
        for j, b in enumerate(y):
            for i, a in enumerate(x):
                kernel = np.exp(-((a - b) ** 2).sum() / bandwidth)
                result[j, state] += (kernel * slope[i, state] - 2 * (a - b) / bandwidth * kernel) / count
    return result


def test_direction_equals_the_slow_loop():
    rng = np.random.default_rng(1)
    still, moved, slope = rng.normal(size=(3, 8, BATCH, SIZE)).astype(np.float32)
    found = jax.jit(stein_direction)(still, moved, slope)
    np.testing.assert_allclose(found, slow_direction(still, moved, slope), rtol=1e-3, atol=1e-5)


def test_direction_of_two_still_particles_by_hand():
    """Still at 0 and 1 in one dimension, with slopes 3 and 5."""
    still = np.array([0.0, 1.0], np.float32).reshape(2, 1, 1)
    moved = np.array([0.0, 0.0], np.float32).reshape(2, 1, 1)
    slope = np.array([3.0, 5.0], np.float32).reshape(2, 1, 1)
    # Squares 0, 0, 1, 1: the third largest is 0, so the floor holds and the particle at 1 is out of sight.
    np.testing.assert_allclose(stein_direction(still, moved, slope)[:, 0, 0], 3 / 2, rtol=1e-5)
    # Squares 0.25 four times over log 2; both kernels are exp(-log 2) = 1/2 and the repulsions cancel.
    between = np.full((2, 1, 1), 0.5, np.float32)
    np.testing.assert_allclose(stein_direction(still, between, slope)[:, 0, 0], (3 + 5) / 4, rtol=1e-5)


def test_bandwidth_by_hand_and_its_floor():
    squares = np.array([[[4.0, 0.0], [1.0, 0.0]], [[3.0, 0.0], [2.0, 1e-9]]], np.float32)  # (2, 2, states)
    found = jax.jit(median_bandwidth)(squares)
    # Sorted down, 4 3 2 1: the third largest is 2.
    np.testing.assert_allclose(found, [2 / np.log(2), 1e-3], rtol=1e-5)


def test_particles_that_coincide_have_a_finite_direction_without_repulsion():
    same, slope = np.full((4, BATCH, SIZE), 0.3, np.float32), np.ones((4, BATCH, SIZE), np.float32)
    np.testing.assert_allclose(jax.jit(stein_direction)(same, same, slope), 1.0, rtol=1e-6)


@dataclass(frozen=True)
class Given(Actor):
    """Its parameters are the actions themselves."""

    def noise_size(self, space):
        return 1

    def init(self, key, space):
        raise NotImplementedError

    def transform(self, network, obs, noise, xp=jnp, training=False):
        return xp.arctanh(network.params), ()


@dataclass(frozen=True)
class Shifted(Actor):
    """Its parameters (B, A) shift squashed noise."""

    def noise_size(self, space):
        return space.action

    def init(self, key, space):
        raise NotImplementedError

    def transform(self, network, obs, noise, xp=jnp, training=False):
        return xp.arctanh(network.params + 0.4 * xp.tanh(noise)), ()


@dataclass(frozen=True)
class Slopes(Expected):
    """Members linear in the action: Q_m(s, a) = level_m + slope_m . a, with (slope, level) as parameters."""

    distributional: ClassVar[bool] = False

    def evaluate(self, network, obs, action, key, training=False):
        slope, level = network.params
        value = jnp.stack([action @ s + v for s, v in zip(slope, level, strict=True)])[..., None]
        return Returns(value, jnp.full(1, 0.5), jnp.ones(1)), ()


def gradient(actor, params, slope, level, **pieces):
    """Gradient of the actor's loss with respect to its parameters; the value and the penalty."""
    recipe = Recipe(actor, Slopes(members=len(slope)), **pieces)
    critic = Network((jnp.asarray(slope, jnp.float32), jnp.asarray(level, jnp.float32)))
    state = TrainState(Networks(Network(params), critic), None, None, (), 0)
    run = jax.jit(jax.grad(lambda p: actor_loss(p, recipe, state, ROWS, jax.random.key(0)), has_aux=True))
    found, (value, seen, _) = run(params)
    return found, value, seen.penalty


ACTIONS = np.random.default_rng(2).uniform(-0.9, 0.9, (PARTICLES, BATCH, SIZE)).astype(np.float32)


@pytest.mark.parametrize("slope", [[[0.0, 0.0], [0.0, 0.0]], [[0.7, -2.0], [9.0, 9.0]]], ids=["constant", "linear"])
def test_stein_moves_half_of_the_actions_along_the_direction(slope):
    """With a constant Q only the squash term and the repulsion are left."""
    shift = np.array([[0.3, -0.2], [0.0, 0.4], [-0.5, 0.1]], np.float32)
    found, value, penalty = gradient(Shifted(), shift, slope, [1.0, 100.0], improvement=Stein(PARTICLES))
    noise = Shifted().noise(jax.random.split(jax.random.key(0), 6)[0], ROWS.space, (PARTICLES, BATCH))
    still, moved = np.split(shift + 0.4 * np.tanh(np.asarray(noise)), 2)
    # The first member is the lower one; the density of the action before tanh adds log(1 - a^2).
    climb = np.array(slope[0]) - 2 * still / (1 - still**2 + 1e-6)
    expected = slow_direction(still, moved, climb).sum(0) / (len(moved) * BATCH)  # the still half only pulls
    np.testing.assert_allclose(found, -expected, rtol=1e-3, atol=1e-5)
    assert value == pytest.approx(float((still @ np.array(slope[0])).mean() + 1.0), rel=1e-4)
    assert penalty == 0


@pytest.mark.parametrize(
    "pessimism, expected, mean",
    [
        (LowestMember(), [[1.0, 0.0], [0.0, 2.0]], (0.1 - 1.0) / 2),
        (FirstMember(), [[1.0, 0.0], [1.0, 0.0]], 0.1),
        (MeanOfMembers(), [[0.5, 1.0], [0.5, 1.0]], ((0.1 + 1.0) / 2 + (0.1 - 1.0) / 2) / 2),
    ],
)
def test_ascent_follows_the_pessimism(pessimism, expected, mean):
    """Q_1 = a_1 and Q_2 = 2 a_2; the lower is Q_1 for the first sample and Q_2 for the second."""
    actions = np.tile(np.array([[0.1, 0.5], [0.1, -0.5]], np.float32)[:, None], (1, BATCH, 1))
    pieces = {"improvement": Ascent(actions=2), "actor_pessimism": pessimism}
    found, value, _ = gradient(Given(), actions, [[1.0, 0.0], [0.0, 2.0]], [0.0, 0.0], **pieces)
    for sample in range(2):
        np.testing.assert_allclose(-found[sample] * 2 * BATCH, np.tile(expected[sample], (BATCH, 1)), rtol=1e-5)
    assert value == pytest.approx(mean, rel=1e-5)


@dataclass(frozen=True)
class Centre(Encourager):
    """A penalty with a simple gradient: the sum of squares of all samples."""

    measures: ClassVar[str] = "squares"
    samples: int = 4
    states: int = 2

    def penalty(self, actions, key):
        return (actions.action**2).sum((0, 2))


def test_ascent_adds_the_weighted_penalty_of_its_samples():
    """The penalty is a mean over states; the value's gradient does not scale with the weight."""
    actions = ACTIONS[:4, :2]
    pieces = {"encourager": Centre(), "weight": Fixed(0.3), "improvement": Ascent(actions=4)}
    found, _, penalty = gradient(Given(), actions, [[0.5, -1.0]], [0.0], **pieces)
    expected = 0.3 * 2 * actions / 2 - np.array([0.5, -1.0]) / (4 * 2)
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert penalty == pytest.approx(float((actions**2).sum((0, 2)).mean()), rel=1e-5)


@pytest.mark.parametrize("particles", [0, 2, 7])
def test_particles_that_cannot_be_halved_are_refused(particles):
    with pytest.raises(ValueError, match="expected an even number, at least 4"):
        Stein(particles)
