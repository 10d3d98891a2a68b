"""A bandit with two peaks: a push-forward actor with an encourager keeps both, a Gaussian cannot."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from pacer import learner
from pacer.pieces import MMD, Adam, Fixed, Gaussian, Space, Transition
from pacer.presets import Size
from pacer.recipes import PACER_M
from pacer.training.statistics import Moments

SPACE = Space(observation=1, action=1)
PEAKS, WIDTH = (-0.5, 0.5), 0.15
RECIPE = replace(
    Size(hidden=(64, 64), levels=16, samples=48, batch=64, warm_up=0).apply(PACER_M),
    encourager=MMD(samples=48, states=6),
    weight=Fixed(1.0),
    actor_optimiser=Adam(2e-3),
    critic_optimiser=Adam(2e-3),
)


def rows(rng, updates=50):
    action = rng.uniform(-1, 1, (updates, RECIPE.batch, 1)).astype(np.float32)
    reward = np.exp(-0.5 * ((np.abs(action[..., 0]) - 0.5) / WIDTH) ** 2).astype(np.float32)
    obs, zero = np.ones_like(action), np.zeros_like(reward)
    return Transition(obs, action, reward, obs, zero)


def shares(recipe):
    """Fractions of the policy's samples near each peak, and elsewhere."""
    rng, scaling = np.random.default_rng(0), Moments.empty(1).scaling()
    state = learner.init(recipe, SPACE, jax.random.key(0))
    for block in range(50):
        state, *_ = learner.learn(recipe, state, rows(rng), scaling, jax.random.key(block))
    noise = recipe.actor.noise(jax.random.key(1), SPACE, (4_000, 1))
    action = np.asarray(recipe.actor.push(state.online.actor, np.ones((1, 1), np.float32), noise)).ravel()
    near = [float((np.abs(action - peak) <= WIDTH).mean()) for peak in PEAKS]
    return near, 1 - sum(near)


@pytest.mark.slow
def test_a_push_forward_actor_keeps_both_peaks():
    near, elsewhere = shares(RECIPE)
    assert min(near) >= 0.25, near
    assert elsewhere <= 0.2, elsewhere


@pytest.mark.slow
def test_a_gaussian_actor_does_not():
    near, elsewhere = shares(replace(RECIPE, actor=Gaussian()))
    assert min(near) < 0.25 or elsewhere > 0.2
