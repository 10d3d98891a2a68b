"""The linear layer, as a plain pytree."""

import math

import jax

from pacer.pieces.types import Array


def dense_init(key: Array, inputs: int, outputs: int) -> dict[str, Array]:
    """Weights and biases uniform in +-1/sqrt(inputs)."""
    weight_key, bias_key = jax.random.split(key)
    bound = max(inputs, 1) ** -0.5
    return {
        "weight": jax.random.uniform(weight_key, (inputs, outputs), minval=-bound, maxval=bound),
        "bias": jax.random.uniform(bias_key, (outputs,), minval=-bound, maxval=bound),
    }


def dense(params: dict[str, Array], x: Array) -> Array:
    return product(x, params["weight"]) + params["bias"]


def product(x: Array, weight: Array) -> Array:
    """(..., I) times (I, O), all leading axes as one.

    With several, XLA transposes both operands of the weight's gradient, which then takes up to ten times as long.
    """
    if x.ndim <= 2:
        return x @ weight
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    return (rows @ weight).reshape(*x.shape[:-1], weight.shape[-1])


def split_init(key: Array, observation: int, extra: int, outputs: int) -> dict[str, Array]:
    """A layer over an observation and a second input (noise, action, or nothing)."""
    layer = dense_init(key, observation + extra, outputs)
    weight = layer["weight"]
    return {"observation": weight[:observation], "extra": weight[observation:], "bias": layer["bias"]}


def split_dense(params: dict[str, Array], obs: Array, extra: Array | None) -> Array:
    """The observation's part is computed once per state, however many noises or actions it meets."""
    x = obs @ params["observation"] + params["bias"]
    return x if extra is None else x + product(extra, params["extra"])
