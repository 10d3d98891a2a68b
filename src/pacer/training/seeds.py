"""All randomness of a run, as functions of (seed, purpose, index): nothing to store, so nothing to lose on resume."""

import numpy as np

INITIAL, EPISODE, ACTING, DRAWING, LEARNING, EVALUATION, EXAMINATION, TRIAL, WARMING_UP, PERTURBING = range(10)


def generator(seed: int, purpose: int, *index: int) -> np.random.Generator:
    return np.random.default_rng([seed, purpose, *index])


def integer(seed: int, purpose: int, *index: int) -> int:
    """A 31-bit seed, small enough for any environment and for a JAX key."""
    return int(np.random.SeedSequence([seed, purpose, *index]).generate_state(1)[0] >> 1)
