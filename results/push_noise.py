"""How steadily an encourager pushes: its gradient on an untrained actor, over draws of states and noise.

python results/push_noise.py
"""

from pacer.runtime import use_one_thread

use_one_thread()

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.flatten_util import ravel_pytree  # noqa: E402

from pacer.pieces import Actor, Encourager, Entropy, Space, Volume  # noqa: E402
from pacer.recipes import PACER, SAC  # noqa: E402

SPACE, STATES, DRAWS = Space(17, 6), 4_096, 300
CASES: tuple[tuple[Encourager, Actor, int, int], ...] = (
    (Volume(), PACER.actor, 7, 32),
    (Volume(), PACER.actor, 14, 16),
    (Volume(), PACER.actor, 14, 32),
    (Volume(), PACER.actor, 32, 32),
    (Entropy(), SAC.actor, 1, 256),
)


def gradients(encourager: Encourager, actor: Actor, samples: int, states: int) -> np.ndarray:
    """One row for each draw."""
    network, every = actor.init(jax.random.key(0), SPACE), jax.random.normal(jax.random.key(1), (STATES, 17))

    def gradient(key: jax.Array) -> jax.Array:
        state_key, noise_key, key = jax.random.split(key, 3)
        obs, noise = jax.random.choice(state_key, every, (states,)), actor.noise(noise_key, SPACE, (samples, states))

        def penalty(params: dict) -> jax.Array:
            actions, _ = actor.sample(network._replace(params=params), obs, noise, key)
            return encourager.penalty(actions, key).mean()

        return ravel_pytree(jax.grad(penalty)(network.params))[0]

    return np.asarray(jax.jit(jax.vmap(gradient))(jax.random.split(jax.random.key(5), DRAWS)))


if __name__ == "__main__":
    print("| | norm of the mean gradient | deviation around it |\n|---|---|---|")
    for encourager, actor, samples, states in CASES:
        found = gradients(encourager, actor, samples, states)
        mean, deviation = np.linalg.norm(found.mean(0)), np.sqrt(found.var(0).sum())
        print(f"| {type(encourager).__name__}, {samples} in {states} | {mean:.2f} | {deviation:.2f} |")
