# SPDX-License-Identifier: MIT
"""Plays an exported policy with NumPy alone: copy this folder anywhere, `from play import Policy`, and act.

    policy = Policy("path/of/the/folder")          # by default the folder this file is in
    action, _ = policy.predict(observation, deterministic=True)

`python play.py 1.0 0.0 0.0` prints the action for an observation.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


class Policy:
    """Observations in, actions in the environment's own bounds out."""

    def __init__(self, folder: Any = Path(__file__).parent, seed: Any = None) -> None:
        self.about = json.loads((Path(folder) / "policy.json").read_text(encoding="utf-8"))
        with np.load(Path(folder) / "policy.npz", allow_pickle=False) as file:
            self._constants = dict(file)
        self._rng = np.random.default_rng(seed)

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """The action for one observation or a batch of them, greedy or sampled; Stable-Baselines3's signature."""
        if deterministic:
            return self.greedy(observation), state
        rows = np.shape(observation)[:-1]
        return self.sampled(observation, self._rng.standard_normal((*rows, self.about["noise"]), np.float32)), state

    def sampled(self, observation: Any, noise: Any) -> Any:
        """The action that some standard normal noise becomes."""
        return self._run("sampled", observation=observation, noise=noise)

    def greedy(self, observation: Any) -> Any:
        """The one action that stands for the policy."""
        return self._run("greedy", observation=observation)

    def _run(self, name: str, **inputs: Any) -> Any:
        graph = self.about["graphs"][name]
        known = dict(self._constants)
        for key, value in inputs.items():
            known[key] = np.atleast_2d(np.asarray(value, np.float32))
            if known[key].ndim != 2 or known[key].shape[-1] != graph["inputs"][key]:
                raise ValueError(f"{key} of shape {np.shape(value)}: expected {graph['inputs'][key]} numbers a row")
            if not np.isfinite(known[key]).all():
                raise ValueError(f"{key} is {value}: expected finite numbers")
        for operation, names, output, options in graph["nodes"]:
            known[output] = OPERATIONS[operation](*(known[n] for n in names), **options)
        return known["action"] if np.ndim(inputs["observation"]) == 2 else known["action"][0]


def _slice(x: Any, start: Any, end: Any, axis: Any) -> Any:
    index = [slice(None)] * x.ndim
    index[axis[0]] = slice(start[0], end[0])
    return x[tuple(index)]


def _reduce(how: Any) -> Any:
    return lambda x, axes, keepdims: how(x, axis=tuple(axes), keepdims=bool(keepdims))


# ONNX's operations, as far as policies use them.
OPERATIONS: dict[str, Any] = {
    **{"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Max": np.maximum, "Min": np.minimum},
    **{"Neg": np.negative, "Abs": np.abs, "Sign": np.sign, "Floor": np.floor, "Ceil": np.ceil, "Pow": np.power},
    **{"Tanh": np.tanh, "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Sin": np.sin, "Cos": np.cos},
    **{"Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater, "GreaterOrEqual": np.greater_equal},
    **{"Equal": np.equal, "And": np.logical_and, "Or": np.logical_or, "Not": np.logical_not, "Where": np.where},
    "Sigmoid": lambda x: 0.5 * (1 + np.tanh(0.5 * x)),
    "Identity": lambda x: x,
    "MatMul": np.matmul,
    "Cast": lambda x, to: x.astype(to),
    "Shape": lambda x, start, end: np.array(x.shape[start:end]),
    "Reshape": lambda x, shape: x.reshape(shape),
    "Expand": lambda x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape))),
    "Transpose": lambda x, perm: x.transpose(perm),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis=axis),
    "Slice": _slice,
    "ReduceSum": _reduce(np.sum),
    "ReduceMax": _reduce(np.max),
    "ReduceMin": _reduce(np.min),
    "ArgMin": lambda x, axis, keepdims: x.argmin(axis),
    "ArgMax": lambda x, axis, keepdims: x.argmax(axis),
    "GatherElements": lambda x, places, axis: np.take_along_axis(x, places, axis),
    "GatherND": lambda x, places, batch_dims: x[np.arange(len(x))[:, None], places[..., 0]],
}


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("usage: python play.py NUMBER...   (an observation; prints the greedy action)")
    print(*Policy().greedy([float(word) for word in sys.argv[1:]]))
