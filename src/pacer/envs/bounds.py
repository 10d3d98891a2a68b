"""Which spaces an agent can act in, and the way between [-1, 1]^A and an environment's own bounds."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pacer.errors import PacerError

Bound = NDArray[np.float32]


def check_action_space(space: Any, name: str) -> tuple[Bound, Bound, np.dtype[Any]]:
    """Bounds in float32 and type of a bounded box of actions."""
    if not _is_box(space) or len(space.shape) != 1 or space.shape[0] == 0 or space.dtype.kind != "f":
        raise PacerError(
            f"{name} has the action space {space}: expected a one-dimensional Box of real numbers. "
            "Discrete actions are not supported; a Box of another shape can be flattened by a wrapper"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = space.low.astype(np.float32), space.high.astype(np.float32)
        # Rounding must not lead out of the environment's own bounds.
        low = np.where(low < space.low, np.nextafter(low, np.float32(np.inf)), low)
        high = np.where(high > space.high, np.nextafter(high, np.float32(-np.inf)), high)
        bounded = np.isfinite(high - low).all() and (low < high).all()
    if not bounded:
        raise PacerError(
            f"{name} has the action space {space}: expected finite bounds with low < high. "
            "Give the Box bounds, or leave out ClipAction, which takes them away: actions are always inside them"
        )
    return low, high, space.dtype


def check_observation_space(space: Any, name: str) -> int:
    """Size of a vector of observations."""
    if not _is_box(space) or len(space.shape) != 1 or space.shape[0] == 0:
        raise PacerError(
            f"{name} has the observation space {space}: expected a one-dimensional Box. "
            "FlattenObservation turns dictionaries into vectors: --wrapper gymnasium.wrappers:FlattenObservation. "
            "Images are not supported"
        )
    return int(space.shape[0])


def to_box(action: Any, low: Bound, high: Bound, dtype: Any = np.float32, xp: Any = np) -> Any:
    """From [-1, 1]^A to the environment's own bounds."""
    return xp.clip(low + (action + 1) * 0.5 * (high - low), low, high).astype(dtype)


def from_box(action: ArrayLike, low: Bound, high: Bound) -> NDArray[np.float32]:
    """From the environment's own bounds to [-1, 1]^A; what lies outside counts as lying on the edge."""
    return np.clip(2 * (np.asarray(action, np.float32) - low) / (high - low) - 1, -1, 1)


def _is_box(space: Any) -> bool:
    from gymnasium.spaces import Box

    return isinstance(space, Box)
