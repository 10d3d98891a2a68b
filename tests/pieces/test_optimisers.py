"""Optimisers: against Optax's own and hand values, and a critic whose parts learn at their own pace."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from pacer import learner
from pacer.pieces import Adam, AdamW, Clipped, Optimiser, Scheduled
from pacer.pieces.optimisers import steeper
from tests.small import CRITICS, SMALL_RECIPES, SPACE
from tests.test_learner import blocks

PARAMS = {"a": jnp.array([1.0, -2.0]), "b": jnp.array(3.0)}


class Plain(Optimiser):
    """Steps that are the gradients themselves."""

    def transform(self):
        return optax.scale(-1.0)


def gradients(count=6):
    rng = np.random.default_rng(0)
    return [{"a": jnp.asarray(rng.normal(size=2), jnp.float32), "b": jnp.float32(rng.normal())} for _ in range(count)]


def steps(transform, seen):
    state, found = transform.init(PARAMS), []
    for gradient in seen:
        step, state = transform.update(gradient, state, PARAMS)
        found.append(step)
    return found


def close(a, b):
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-8)


def test_adam_is_optax_adam():
    close(steps(Adam(1e-2).transform(), gradients()), steps(optax.adam(1e-2), gradients()))
    slow = optax.adam(1e-2, b1=0.5, b2=0.9)
    close(steps(Adam(1e-2, momentum=0.5, memory=0.9).transform(), gradients()), steps(slow, gradients()))


def test_adamw_also_shrinks_the_parameters():
    plain, shrunk = (steps(o.transform(), gradients()) for o in (Adam(1e-2), AdamW(1e-2, decay=0.1)))
    expected = [jax.tree.map(lambda s, p: s - 1e-2 * 0.1 * p, step, PARAMS) for step in plain]
    close(shrunk, expected)


@pytest.mark.parametrize("size", [0.1, 10.0])
def test_clipping_bounds_the_norm_of_what_the_optimiser_sees(size):
    seen = [optax.tree.scale(size / optax.tree.norm(gradient), gradient) for gradient in gradients()]
    for step, gradient in zip(steps(Clipped(Plain(), norm=0.5).transform(), seen), seen, strict=True):
        assert optax.tree.norm(step) == pytest.approx(min(size, 0.5), rel=1e-5)
        close(step, jax.tree.map(lambda g: -g * min(size, 0.5) / size, gradient))


@pytest.mark.parametrize(
    "shape, middle", [("linear", 1 - 0.5 * 0.8), ("cosine", 0.2 + 0.8 * 0.5)], ids=["linear", "cosine"]
)
def test_a_schedule_ends_at_its_share_and_stays_there(shape, middle):
    one = jax.tree.map(jnp.ones_like, PARAMS)
    found = steps(Scheduled(Plain(), updates=10, final=0.2, shape=shape).transform(), [one] * 15)
    sizes = [-float(step["b"]) for step in found]
    assert sizes[0] == pytest.approx(1.0)
    assert sizes[5] == pytest.approx(middle, rel=1e-5)
    assert sizes[10:] == pytest.approx([0.2] * 5, rel=1e-5)
    assert sizes[:11] == sorted(sizes[:11], reverse=True)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Adam(0.0), "learning_rate is 0.0"),
        (lambda: AdamW(momentum=1.0), "momentum is 1.0"),
        (lambda: Clipped(norm=0.0), "is 0.0: expected a number above 0"),
        (lambda: Scheduled(updates=0), "a schedule over 0 updates"),
        (lambda: Scheduled(final=1.5), "to 1.5"),
    ],
)
def test_steps_that_lead_nowhere_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_proposal_moves_at_its_own_pace():
    """Adam's first step is the learning rate, for the quantiles and for the levels they are asked for."""
    recipe = replace(SMALL_RECIPES["pacer-fqf"], critic=CRITICS["proposed"], critic_optimiser=Adam(1e-3))
    recipe = replace(recipe, critic=replace(recipe.critic, proposal_optimiser=Adam(2e-5)))
    state = learner.init(recipe, SPACE, jax.random.key(0))
    before = jax.tree.map(np.asarray, state.online.critic.params)
    batch = jax.tree.map(lambda x: jnp.asarray(x[0]), blocks(recipe, 1))
    state, _ = jax.jit(learner.update_critic, static_argnums=0)(recipe, state, batch, jax.random.key(1))
    moved = jax.tree.map(lambda a, b: float(np.abs(a - b).max()), state.online.critic.params, before)
    largest = {name: max(jax.tree.leaves(part)) for name, part in moved.items()}
    assert largest["quantile"] == pytest.approx(1e-3, rel=0.01)
    assert largest["proposal"] == pytest.approx(2e-5, rel=0.01)


@pytest.mark.parametrize(
    "transform",
    [
        Adam().transform(),
        Scheduled(AdamW(), updates=4).transform(),
        optax.partition({"quick": optax.adam(1e-2), "slow": optax.adam(1e-4)}, {"a": "quick", "b": "slow"}),
    ],
    ids=["adam", "scheduled", "partition"],
)
def test_what_is_remembered_of_gradients_is_made_that_of_steeper_ones(transform):
    factors = {"a": 4.0, "b": 0.5}
    plain = steep = transform.init(PARAMS)
    for gradient in gradients():
        plain = transform.update(gradient, plain, PARAMS)[1]
        steep = transform.update({name: factors[name] * g for name, g in gradient.items()}, steep, PARAMS)[1]
    close(steeper(plain, factors), steep)
