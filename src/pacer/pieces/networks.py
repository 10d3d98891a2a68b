"""Multilayer perceptrons as plain pytrees. `xp` is `jax.numpy` when learning and `numpy` when acting."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from pacer.pieces.types import Array

Norm = Callable[[Array], Array]


def dense_init(key: Array, inputs: int, outputs: int) -> dict[str, Array]:
    """Weights and biases uniform in +-1/sqrt(inputs)."""
    weight_key, bias_key = jax.random.split(key)
    bound = max(inputs, 1) ** -0.5
    return {
        "weight": jax.random.uniform(weight_key, (inputs, outputs), minval=-bound, maxval=bound),
        "bias": jax.random.uniform(bias_key, (outputs,), minval=-bound, maxval=bound),
    }


def dense(params: dict[str, Array], x: Array) -> Array:
    return x @ params["weight"] + params["bias"]


def unchanged(x: Array) -> Array:
    return x


def trunk_init(key: Array, observation: int, extra: int, hidden: tuple[int, ...]) -> dict[str, Any]:
    """Hidden layers over an observation and a second input (noise, action, or nothing)."""
    first_key, *keys = jax.random.split(key, len(hidden))
    first = dense_init(first_key, observation + extra, hidden[0])
    return {
        "observation": first["weight"][:observation],
        "extra": first["weight"][observation:],
        "bias": first["bias"],
        "hidden": [dense_init(k, n, m) for k, n, m in zip(keys, hidden[:-1], hidden[1:], strict=True)],
    }


def first_layer(
    params: dict[str, Any], obs: Array, extra: Array | None, xp: Any = jnp, norm: Norm = unchanged
) -> Array:
    """The observation's part is computed once per state, however many noises or actions it meets."""
    x = obs @ params["observation"] + params["bias"]
    return xp.maximum(norm(x if extra is None else x + extra @ params["extra"]), 0.0)


def trunk(params: dict[str, Any], obs: Array, extra: Array | None, xp: Any = jnp, norm: Norm = unchanged) -> Array:
    """Features of observation (B, D) and extra (..., B, E), or of the observation alone: (..., B, W)."""
    x = first_layer(params, obs, extra, xp, norm)
    for layer in params["hidden"]:
        x = xp.maximum(norm(dense(layer, x)), 0.0)
    return x


def network_init(key: Array, observation: int, extra: int, hidden: tuple[int, ...], outputs: int) -> dict[str, Any]:
    """A trunk and a linear head."""
    trunk_key, head_key = jax.random.split(key)
    return {
        "trunk": trunk_init(trunk_key, observation, extra, hidden),
        "head": dense_init(head_key, hidden[-1], outputs),
    }


def members_init(
    key: Array, members: int, observation: int, extra: int, hidden: tuple[int, ...], outputs: int
) -> tuple[dict[str, Any], ...]:
    """Independent networks of one shape."""
    return tuple(network_init(k, observation, extra, hidden, outputs) for k in jax.random.split(key, members))


def apply(params: dict[str, Any], obs: Array, extra: Array | None, xp: Any = jnp) -> Array:
    """Outputs (..., B, O) of a trunk and its head."""
    return dense(params["head"], trunk(params["trunk"], obs, extra, xp))


def standardise(x: Array) -> Array:
    """Mean 0 and variance 1 over the features (layer normalisation without a learned scale)."""
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
