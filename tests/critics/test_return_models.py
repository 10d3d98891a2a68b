"""Return models: known distributions recovered by each critic's own loss, and the pieces that only some of them have."""

from dataclasses import replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from scipy.stats import norm, wasserstein_distance

from pacer.critics.categorical import Categorical
from pacer.critics.fixed_quantile import FixedQuantile
from pacer.critics.generator import Generator
from pacer.critics.proposed import Proposed
from pacer.critics.quantile import Quantile
from pacer.types import Network, Returns, Space, Transition

SPACE = Space(observation=3, action=1)
ROWS, UPDATES, LR = 64, 1500, 5e-3
# A small threshold: the Huber loss bends quantiles towards the mean by about as much.
SETTINGS = {"hidden": (32, 32), "levels": 16, "members": 1, "threshold": 0.1}
CRITICS = {
    "quantile": Quantile(**SETTINGS),
    "quantile, first": Quantile(**SETTINGS, merge="first"),
    "fixed quantile": FixedQuantile(**SETTINGS),
    "generator": Generator(**SETTINGS),
    "proposed": Proposed(Quantile(**SETTINGS), proposal_hidden=(16,)),
    "categorical": Categorical(hidden=(32, 32), members=1, atoms=51, lowest=-5, highest=5),
}
OBS, ACTION = np.array([[0.5, -1.0, 1.0]], np.float32), np.array([[0.4]], np.float32)


def bimodal(level):
    """Two narrow normals at -2 and 2: each half of the levels sees one of them."""
    return np.where(level < 0.5, -2 + 0.3 * norm.ppf(2 * level % 1), 2 + 0.3 * norm.ppf(2 * level % 1))


QUANTILES = {
    "gaussian": lambda level: 1 + norm.ppf(level),
    "bimodal": bimodal,
    "bernoulli": lambda level: 3.0 * (level > 0.35),
}


@cache
def learned(name):
    """Returns (distributions, atoms) after training on each distribution with discount 0, in one state."""
    critic = CRITICS[name]
    level = np.random.default_rng(0).uniform(1e-6, 1 - 1e-6, (UPDATES, ROWS))
    rewards = np.stack([quantile(level) for quantile in QUANTILES.values()]).astype(np.float32)
    obs, action = np.tile(OBS, (ROWS, 1)), np.tile(ACTION, (ROWS, 1))
    optimiser = optax.adam(optax.cosine_decay_schedule(LR, UPDATES))

    def train(rewards, key):
        first = critic.init(key, SPACE)

        def step(carry, data):
            params, state = carry
            reward, key = data
            rows = Transition(obs, action, reward, obs, jnp.zeros_like(reward))

            def target(returns):
                following = returns.of_sample(0)
                return following._replace(value=reward[:, None] + 0 * following.value)

            def loss(params):
                return critic.loss(Network(params), Network(params), rows, action[None], target, key)[0]

            change, state = optimiser.update(jax.grad(loss)(params), state)
            return (critic.project(optax.apply_updates(params, change)), state), None

        keys = jax.random.split(key, UPDATES)
        (params, _), _ = jax.lax.scan(step, (first.params, optimiser.init(first.params)), (rewards, keys))
        return many_atoms(critic).returns(Network(params), OBS, ACTION, key)

    returns = jax.jit(jax.vmap(train, in_axes=(0, None)))(rewards, jax.random.key(1))
    shape = (len(QUANTILES), returns.value.shape[-1])
    return Returns(*(np.asarray(part).reshape(len(QUANTILES), -1) for part in returns))


def many_atoms(critic):
    """The same critic looked at closely, where it can be asked for any number of atoms."""
    return replace(critic, levels=400) if isinstance(critic, Quantile | Generator) else critic


@pytest.mark.parametrize("distribution", QUANTILES)
@pytest.mark.parametrize("name", CRITICS)
def test_a_known_distribution_is_recovered(name, distribution):
    number = list(QUANTILES).index(distribution)
    value, level, mass = (part[number] for part in learned(name))
    quantile = QUANTILES[distribution]
    even = (np.arange(2000) + 0.5) / 2000
    truth = quantile(even)
    # The distance between the distributions, in deviations: 0.8 for a single atom at the mean.
    print(
        name,
        distribution,
        wasserstein_distance(value, truth, mass) / truth.std(),
        [round(float(np.interp(p, level, value) - quantile(np.array(p))), 3) for p in (0.1, 0.2, 0.25, 0.6, 0.75, 0.9)],
        (mass * value).sum() - truth.mean(),
    )


def test_x():
    pass
