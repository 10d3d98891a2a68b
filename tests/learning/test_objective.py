"""The gradient of the whole objective, value and weighted penalty, against finite differences in double precision.

Not for the entropic Wasserstein distance, whose gradient is that at a given regularisation: see its own tests.
"""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer import learner
from pacer.pieces import (
    MLP,
    MMD,
    CVaR,
    Fixed,
    PushForward,
    Quantile,
    Repulsion,
    Sliced,
    Transition,
    Volume,
)
from tests.small import SMALL_RECIPES, SPACE

BODY = MLP((6, 6))
ENCOURAGERS = {
    "mmd": MMD(samples=6, states=4),
    "mmd, squared": MMD(samples=6, states=4, root=False),
    "sliced": Sliced(samples=6, states=4),
    "repulsion": Repulsion(actions=6, states=4),
    "volume": Volume(states=4),
}
PACER = replace(
    SMALL_RECIPES["pacer-m"],
    actor=PushForward(BODY, skip=0.4),
    critic=Quantile(BODY, levels=4),
    encourager=ENCOURAGERS["mmd"],
    risk=CVaR(0.5),
    weight=Fixed(0.7),
    batch=8,
)
RECIPES = {name: replace(PACER, encourager=encourager) for name, encourager in ENCOURAGERS.items()}
RECIPES["entropy"] = replace(SMALL_RECIPES["sac-fixed"], batch=8)


@pytest.mark.parametrize("name", [n if n == "volume" else pytest.param(n, marks=pytest.mark.slow) for n in RECIPES])
def test_the_actors_gradient_is_that_of_its_objective(name):
    recipe = RECIPES[name]
    with jax.enable_x64(True):
        state = jax.tree.map(wide, learner.init(recipe, SPACE, jax.random.key(0)))
        rng = np.random.default_rng(0)
        batch = Transition(*(jnp.asarray(rng.normal(size=shape)) for shape in ((8, 3), (8, 2), (8,), (8, 3), (8,))))
        params, key = state.online.actor.params, jax.random.key(1)
        flat, whole = jax.flatten_util.ravel_pytree(params)

        @jax.jit
        def loss(values):
            return learner.actor_loss(whole(values), recipe, state, batch, key)[0]

        gradient = jax.jit(jax.grad(loss))(flat)
        assert np.abs(gradient).max() > 1e-3
        for _ in range(4):
            direction = rng.normal(size=flat.shape)
            direction /= np.linalg.norm(direction)
            slope = (loss(flat + 1e-5 * direction) - loss(flat - 1e-5 * direction)) / 2e-5
            assert gradient @ direction == pytest.approx(float(slope), rel=2e-4, abs=2e-6)


def wide(x):
    return x.astype(jnp.float64) if jnp.issubdtype(x.dtype, jnp.floating) else x
