"""Contracts over all actors, and the Gaussian's density against autodiff and integration."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from pacer.pieces import PushForward
from pacer.pieces.actors.push_forward import even_noises, random_noises
from pacer.pieces.types import Network, Space
from tests.small import ACTORS, SPACE, each

DENSITIES = {name: actor for name, actor in ACTORS.items() if actor.has_density}


@pytest.fixture(params=each(ACTORS))
def actor(request):
    return request.param


def observations(count=5):
    return jax.random.normal(jax.random.key(1), (count, SPACE.observation))


def test_actions_have_the_noise_shape_and_stay_in_the_box(actor):
    network = actor.init(jax.random.key(0), SPACE)
    noise = 10 * actor.noise(jax.random.key(2), SPACE, (7, 5))
    actions = actor.push(network, observations(), noise)
    assert actions.shape == (7, 5, SPACE.action)
    assert jnp.abs(actions).max() <= 1
    assert actor.greedy(network, observations(), SPACE).shape == (5, SPACE.action)


def test_numpy_acts_like_jax(actor):
    network = actor.init(jax.random.key(0), SPACE)
    host = jax.tree.map(np.asarray, network)
    noise = actor.noise(np.random.default_rng(0), SPACE, (5,))
    obs = np.asarray(observations())
    np.testing.assert_allclose(actor.push(host, obs, noise, np), actor.push(network, obs, noise), atol=1e-5)
    greedy = actor.greedy(host, obs, SPACE, np)
    np.testing.assert_allclose(greedy, actor.greedy(network, obs, SPACE), atol=1e-5)
    np.testing.assert_allclose(actor.greedy(host, obs[0], SPACE, np), greedy[0], atol=1e-5)
    assert actor.push(host, obs[0], noise[0], np).dtype == np.float32


def test_gradient_reaches_every_parameter(actor):
    network = actor.init(jax.random.key(0), SPACE)
    noise = actor.noise(jax.random.key(2), SPACE, (7, 5))

    def total(params):
        return (actor.push(network._replace(params=params), observations(), noise) ** 2).sum()

    for leaf in jax.tree.leaves(jax.jit(jax.grad(total))(network.params)):
        assert jnp.isfinite(leaf).all()
        assert leaf.size == 0 or jnp.abs(leaf).max() > 0, leaf.shape


@pytest.mark.parametrize("actor", each(DENSITIES))
def test_density_integrates_to_one(actor):
    """The reported densities of samples, as a histogram would see them: E[1/p] over a bin is the bin's width."""
    space = Space(observation=3, action=1)
    network = actor.init(jax.random.key(0), space)
    obs = jnp.ones((1, 3))
    noise = actor.noise(jax.random.key(1), space, (40_000, 1))
    actions = jax.jit(lambda n: actor.sample(network, obs, n, jax.random.key(2))[0])(noise)
    inside = jnp.abs(actions.action[..., 0]) < 0.5
    width = (inside * jnp.exp(-actions.log_prob)).mean()
    assert float(width) == pytest.approx(1.0, rel=0.04)


def test_gaussian_density_matches_the_jacobian():
    actor = ACTORS["gaussian"]
    network = actor.init(jax.random.key(0), SPACE)
    obs, noise = observations(1), 0.7 * jax.random.normal(jax.random.key(3), (1, SPACE.action))
    jacobian = jax.jacobian(lambda n: actor.push(network, obs, n)[0])(noise)[:, 0]
    base = -0.5 * (noise**2 + jnp.log(2 * jnp.pi)).sum()
    expected = base - jnp.linalg.slogdet(jacobian)[1]
    actions, _ = actor.sample(network, obs, noise, jax.random.key(0))
    assert actions.log_prob[0] == pytest.approx(float(expected), abs=1e-4)


def test_medoid_is_the_sample_nearest_to_the_others():
    actor = ACTORS["push-forward, medoid"]
    network = jax.tree.map(np.asarray, actor.init(jax.random.key(0), SPACE))
    obs = np.asarray(observations())
    noise = random_noises(SPACE.action)[:, None]
    for row, greedy in zip(obs, actor.greedy(network, obs, SPACE, np), strict=True):
        samples = actor.push(network, row[None], noise, np)[:, 0]
        costs = [np.linalg.norm(samples - s, axis=1).sum() for s in samples]
        np.testing.assert_allclose(greedy, samples[int(np.argmin(costs))], atol=1e-6)


class Peaks(PushForward):
    """A policy known by hand: noise goes next to the nearest of some places; what is small stays between them."""

    def transform(self, network, obs, noise, xp=jnp, training=False):
        places = xp.asarray(network.params["modes"])
        nearest = (noise[..., None, :] * places).sum(-1).argmax(-1)
        near = places[nearest] + network.params["width"] * noise
        return xp.where(xp.linalg.norm(noise, axis=-1, keepdims=True) < network.params["between"], noise, near), ()


def far_from_modes(rule, modes):
    angles = 2 * np.pi * np.arange(modes) / modes
    places = np.float32(np.stack([np.cos(angles), np.sin(angles)], 1))
    network = Network({"modes": places, "width": np.float32(0.05), "between": 0.5}, ())
    greedy = Peaks(greedy_rule=rule).greedy(network, np.zeros((1, SPACE.observation), np.float32), SPACE, np)[0]
    return np.linalg.norm(np.tanh(places) - greedy, axis=1).min()


@pytest.mark.parametrize("modes", [2, 4, 8])
def test_the_densest_sample_lies_at_a_mode_and_the_medoid_between_them(modes):
    assert far_from_modes("densest", modes) < 0.05
    assert far_from_modes("medoid", modes) > 0.3


@pytest.mark.parametrize("actions", [3, 6, 8])
def test_the_densest_sample_lies_at_a_mode_while_modes_are_further_apart_than_the_policy_is_wide(actions):
    """Beyond that, in many dimensions, zero noise is nearer to all samples than these are to each other."""
    places = np.zeros((2, actions), np.float32)
    places[:, 0] = -1.1, 1.1
    network = Network({"modes": places, "width": np.float32(0.2), "between": 0.3 * actions**0.5}, ())
    greedy = Peaks(greedy_rule="densest").greedy(network, np.zeros((1, 2), np.float32), Space(2, actions), np)[0]
    assert abs(greedy[0]) > 0.7


def test_more_noises_than_a_network_may_have_are_refused():
    with pytest.raises(ValueError, match="noise_power is 4, which makes 1048576 noises: expected 65536 at most"):
        PushForward(noise_power=4).noise_size(Space(3, 32))


@pytest.mark.parametrize("size", [1, 2, 6, 17])
def test_even_noises_are_zero_noise_and_pairs_that_are_normal_in_each_dimension(size):
    noise = even_noises(size)
    np.testing.assert_array_equal(noise[0], 0)
    np.testing.assert_array_equal(noise[1:33], -noise[33:])
    for one in noise[1:].T:
        np.testing.assert_allclose(np.sort(one), norm.ppf((np.arange(64) + 0.5) / 64), atol=1e-5)


@pytest.mark.parametrize("actions", [1, 3, 6, 17])
def test_greedy_play_of_one_mode_is_its_middle(actions):
    space = Space(2, actions)
    network = Network({"modes": np.zeros((1, actions), np.float32), "width": np.float32(0.4), "between": 0.0}, ())
    greedy = Peaks(greedy_rule="densest").greedy(network, np.zeros((5, 2), np.float32), space, np)
    np.testing.assert_allclose(greedy, np.zeros((5, actions)), atol=0.02)


def test_the_densest_sample_of_one_mode_is_next_to_its_middle_and_of_a_point_is_the_point():
    network = Network({"modes": np.zeros((1, 2), np.float32), "width": np.float32(0.3), "between": 0.0}, ())
    obs = np.zeros((1, SPACE.observation), np.float32)
    assert np.linalg.norm(Peaks(greedy_rule="densest").greedy(network, obs, SPACE, np)) < 0.15
    network.params["width"] = np.float32(0)
    np.testing.assert_array_equal(Peaks(greedy_rule="densest").greedy(network, obs, SPACE, np), 0)
