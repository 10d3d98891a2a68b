"""The evaluations of a run as Stable-Baselines3 keeps them, for its plotting tools and those of its zoo."""

from typing import Any

import numpy as np

from pacer.runs.tables import Columns


def evaluation_arrays(log: Columns, mode: str = "greedy") -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of evaluations.npz: `timesteps` (T,), `results` and `ep_lengths` (T, episodes); none without any."""
    chosen = log["mode"] == mode
    steps, counts = np.unique(log["step"][chosen], return_counts=True)
    if not steps.size:
        return {}
    episodes = counts.min()
    rows = [np.flatnonzero(chosen & (log["step"] == step))[:episodes] for step in steps]
    return {
        "timesteps": steps.astype(np.int64),
        "results": np.stack([log["return"][row] for row in rows]).astype(np.float64),
        "ep_lengths": np.stack([log["length"][row] for row in rows]).astype(np.int64),
    }
