"""Repulsion against its definition."""

import jax
import jax.numpy as jnp
import numpy as np

from pacer.pieces import Actions, Repulsion


def test_pairs_are_the_definition():
    action = np.random.default_rng(0).uniform(-1, 1, (5, 2, 3)) * np.array([0.5, 0.3, 0.1])
    expected = np.zeros(2)
    for i in range(5):
        for j in range(5):
            gap = ((action[i] - action[j]) ** 2).sum(-1)
            expected -= (i != j) * 0.5 * np.log(gap + 1e-6) / 20
    found = Repulsion().penalty(Actions(jnp.asarray(action, jnp.float32), None), jax.random.key(0))
    np.testing.assert_allclose(found, expected, rtol=1e-4)
