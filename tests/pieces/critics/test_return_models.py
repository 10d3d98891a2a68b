"""Return models: known distributions recovered by each critic's own loss, and what only some of them have."""

from dataclasses import replace
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm, wasserstein_distance

from pacer.pieces import (
    MLP,
    Categorical,
    FixedQuantile,
    Generator,
    Proposed,
    Quantile,
    Returns,
    Space,
    Transition,
)
from pacer.pieces.critics.levels import even_levels, midpoints, quantile_loss

SPACE = Space(observation=3, action=1)
ROWS, UPDATES = 32, 800
# A small threshold: the Huber loss bends quantiles towards the mean by about as much.
SETTINGS = {"body": MLP((32, 32)), "members": 1, "threshold": 0.1}
CRITICS = {
    "quantile": Quantile(**SETTINGS, levels=8, cosines=16),
    "quantile, first": Quantile(**SETTINGS, levels=8, cosines=16, merge="first", gate="sigmoid"),
    "fixed quantile": FixedQuantile(**SETTINGS, levels=8),
    "generator": Generator(**SETTINGS, levels=24, noise=2),
    "proposed": Proposed(Quantile(**SETTINGS, levels=8, cosines=16), proposal=MLP((16,))),
    "categorical": Categorical(MLP((32, 32)), members=1, atoms=51, lowest=-5, highest=5),
}
COSTLY = ("quantile, first", "generator", "proposed", "categorical")
OBS, ACTION = np.array([[0.5, -1.0, 1.0]], np.float32), np.array([[0.4]], np.float32)


def bimodal(level):
    """Two narrow normals at -2 and 2: each half of the levels sees one of them."""
    return np.where(level < 0.5, -2 + 0.3 * norm.ppf(2 * level % 1), 2 + 0.3 * norm.ppf(2 * level % 1))


QUANTILES = {
    "gaussian": lambda level: 1 + norm.ppf(level),
    "bimodal": bimodal,
    "bernoulli": lambda level: 3.0 * (level > 0.35),
}


def learned(name):
    """Returns (distributions, atoms) after training on each distribution with discount 0, in one state."""
    critic = CRITICS[name]
    level = np.random.default_rng(0).uniform(1e-6, 1 - 1e-6, (UPDATES, ROWS))
    rewards = np.stack([quantile(level) for quantile in QUANTILES.values()]).astype(np.float32)
    obs, action = np.tile(OBS, (ROWS, 1)), np.tile(ACTION, (ROWS, 1))
    optimiser = optax.adam(optax.cosine_decay_schedule(1e-2, UPDATES))

    def train(rewards, key):
        first = critic.init(key, SPACE)

        def step(carry, data):
            params, state = carry
            reward, key = data
            rows = Transition(obs, action, reward, obs, jnp.zeros_like(reward))

            def loss(params):
                network = first._replace(params=params)
                predicted, following, *_ = critic.pair(network, first, rows, action[None], key)
                goal = following.at(0).at(0)
                goal = goal._replace(value=reward[:, None] + 0 * goal.value)
                return critic.error(network, rows, predicted, goal)

            change, state = optimiser.update(jax.grad(loss)(params), state)
            return (optax.apply_updates(params, change), state), None

        keys = jax.random.split(key, UPDATES)
        (params, _), _ = jax.lax.scan(step, (first.params, optimiser.init(first.params)), (rewards, keys))
        return many_atoms(critic).returns(first._replace(params=params), OBS, ACTION, key)

    returns = jax.jit(jax.vmap(train, in_axes=(0, None)))(rewards, jax.random.key(1))
    return Returns(*(np.asarray(part).reshape(len(QUANTILES), -1) for part in returns))


def many_atoms(critic):
    """The same critic looked at closely, where it can be asked for any number of atoms."""
    return replace(critic, levels=400) if isinstance(critic, Quantile | Generator) else critic


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in COSTLY else ()) for name in CRITICS]
)
def test_known_distributions_are_recovered(name):
    for quantile, value, level, mass in zip(QUANTILES.values(), *learned(name), strict=True):
        truth = quantile((np.arange(2000) + 0.5) / 2000)
        # In deviations of the truth: eight atoms are 0.16 from a normal at best, one alone is 0.8 away.
        assert wasserstein_distance(value, truth, mass) < 0.25 * truth.std()
        assert (mass * value).sum() == pytest.approx(truth.mean(), abs=0.1 * truth.std())
        for wanted in (0.1, 0.25, 0.6, 0.75, 0.9):
            found = np.interp(wanted, level, value)
            assert found == pytest.approx(float(quantile(np.float64(wanted))), abs=0.3 * truth.std())


HISTOGRAM = Categorical(MLP((8,)), members=1, atoms=6, lowest=-2.0, highest=3.0)
project_mass = jax.jit(HISTOGRAM.project_mass)
ATOMS = np.linspace(-2, 3, 6)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-6, 6, width=32), min_size=4, max_size=4),
    st.lists(st.floats(0.0625, 1, width=32), min_size=4, max_size=4),
)
def test_projection_equals_sharing_out_one_atom_at_a_time(values, masses):
    values, masses = np.array(values), np.array(masses) / sum(masses)
    expected = np.zeros(6)
    for value, mass in zip(np.clip(values, -2, 3), masses, strict=True):
        below = min(int(np.floor(value + 2)), 4)  # atoms are 1 apart, the first at -2
        expected[below] += mass * (ATOMS[below + 1] - value)
        expected[below + 1] += mass * (value - ATOMS[below])
    found = np.asarray(project_mass(values[None].astype(np.float32), masses[None].astype(np.float32)))[0]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert found.sum() == pytest.approx(1.0, abs=1e-5)
    inside = np.abs(values - 0.5).max() <= 2.5
    assert not inside or (found * ATOMS).sum() == pytest.approx((masses * values).sum(), abs=1e-4)


def test_projection_by_hand():
    """Half on an atom, a quarter between two, a quarter far above all."""
    found = project_mass(np.array([[1.0, 0.0, -0.75, 40.0]]), np.array([[0.25, 0.25, 0.25, 0.25]]))
    np.testing.assert_allclose(found[0], [0, 0.25 * 0.75, 0.25 * 0.25 + 0.25, 0.25, 0, 0.25], atol=1e-6)


class Logistic(Quantile):
    """A quantile critic whose quantile function is known: log(t / (1 - t)), times 1 and 2 for two members."""

    def at(self, network, obs, action, level, training=False):
        logit = jnp.log(level) - jnp.log1p(-level)
        return jnp.stack([logit, 2 * logit]), network.stats


def test_the_slope_of_the_value_does_not_go_through_where_it_is_looked_at():
    critic = CRITICS["proposed"]
    network = critic.init(jax.random.key(0), SPACE)
    mass, _ = critic.propose(network, OBS, ACTION)

    def value(action):
        return critic.returns(network, OBS, action, jax.random.key(0)).mean().sum()

    def at_these_levels(action):
        inner = network._replace(params=network.params["quantile"], stats=network.stats["quantile"])
        return (mass * critic.quantile.at(inner, OBS, action, midpoints(mass))[0]).sum()

    np.testing.assert_allclose(jax.grad(value)(ACTION), jax.grad(at_these_levels)(ACTION), rtol=1e-4, atol=1e-6)


def test_the_fraction_gradient_is_that_of_the_distance_to_the_steps():
    """Against central differences of the 1-Wasserstein distance, by quadrature, per logit of the proposal."""
    critic = Proposed(Logistic(MLP((8,)), levels=4), proposal=MLP((8,)))

    @jax.jit
    def run(key):
        network = critic.init(key, SPACE)
        predicted = critic.returns(network, OBS, ACTION, key)
        slopes = jax.grad(lambda p: critic.proposal_loss(network._replace(params=p), OBS, ACTION, predicted))(
            network.params
        )
        return slopes["proposal"]["head"]["bias"], predicted.mass[0]

    gradient, mass = run(jax.random.key(0))
    logits = np.log(np.asarray(mass, np.float64))

    def quantile(t):
        return 1.5 * np.log(t / (1 - t))  # the mean of the members

    def distance(logits):
        edges = np.concatenate([[0], np.cumsum(np.exp(logits) / np.exp(logits).sum())])
        edges[-1] = 1.0
        pieces = 0.0
        for low, high in pairwise(edges):
            middle = (low + high) / 2
            for a, b in ((low, middle), (middle, high)):
                pieces += quad(lambda t, m=middle: abs(quantile(t) - quantile(m)), a, b, epsabs=1e-12)[0]
        return pieces

    for number in range(4):
        step = 1e-3 * np.eye(4)[number]
        slope = (distance(logits + step) - distance(logits - step)) / 2e-3
        assert gradient[number] == pytest.approx(slope, rel=0.01, abs=1e-4)
    assert np.abs(gradient).max() > 1e-3


def test_in_another_unit_the_loss_of_a_proposal_is_as_many_times_as_steep_as_the_critic_says():
    """Linear in returns, where the loss of quantiles is a square of them."""
    critic, factor = CRITICS["proposed"], 1 / 32
    network = critic.init(jax.random.key(0), SPACE)

    @jax.jit
    def slopes(params):
        def loss(params):
            changed = network._replace(params=params)
            return critic.proposal_loss(changed, OBS, ACTION, critic.returns(changed, OBS, ACTION, jax.random.key(0)))

        return jax.grad(loss)(params)["proposal"]["head"]["weight"]

    before, after = (slopes(params) for params in (network.params, critic.rescaled(network.params, factor)))
    said = critic.steepness(network.params, factor)
    np.testing.assert_allclose(after, said["proposal"]["head"]["weight"] * before, rtol=1e-3, atol=1e-9)
    assert np.abs(before).max() > 1e-4
    np.testing.assert_allclose(said["quantile"][0]["level"]["weight"], factor**2)


def test_with_equal_masses_the_loss_is_the_plain_double_sum_over_its_terms():
    """Paper: sum over pairs; here: mean over predicted levels, masses 1/K over targets. So 1/K^2, mean over states."""
    rng = np.random.default_rng(0)
    value, target = rng.normal(size=(2, 3, 5)), rng.normal(size=(3, 5))  # two members, three states, five levels
    level = (np.arange(5) + 0.5) / 5
    total = 0.0
    for member in value:
        for state in range(3):
            for i in range(5):
                for j in range(5):
                    error = target[state, j] - member[state, i]
                    huber = error**2 / 2 if abs(error) <= 1 else abs(error) - 0.5
                    total += abs(level[i] - (error < 0)) * huber / 25 / 3
    predicted = Returns(value.astype(np.float32), *even_levels(5))
    found = jax.jit(lambda p, g: quantile_loss(p, g, 1.0))(
        predicted, Returns(target.astype(np.float32), *even_levels(5))
    )
    assert found == pytest.approx(total, rel=1e-5)
