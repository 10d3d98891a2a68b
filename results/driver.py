"""How fast drivers go whose risk measures and weights differ, on the road of examples/careful_driver.py.

python results/driver.py
"""

import itertools
import tempfile
from pathlib import Path

import numpy as np
from table import fill

import pacer
from pacer.imports import imported

OURS = "FlooredDual:1:0:1"
RULES = (("pacer", OURS), ("pacer-soft", OURS), ("pacer", "Dual:1:0:1"), ("pacer", "Fixed:0.2"))
RISKS = ("neutral", "cvar:0.5", "cvar:0.25", "cvar:0.1")
SEEDS, STEPS = 3, 30_000
ROAD = imported(str(Path(__file__).parents[1] / "examples" / "careful_driver.py"))  # registers it, too


def drive(recipe: str, weight: str, risk: str, seed: int) -> tuple[float, ...]:
    """Of 50 sampled episodes: mean speed, crashes and return, and the mean return of the worst quarter."""
    with tempfile.TemporaryDirectory() as folder:
        run, changes = Path(folder) / "run", {**ROAD.SMALL, "recipe.weight": weight}
        pacer.train("Road-v0", recipe, STEPS, seed=seed, risk=risk, run_dir=run, overrides=changes, quiet=True)
        played = [e for e in pacer.evaluate(run, episodes=50).episodes if e.mode == "sampled"]
    returns = np.sort([e.total for e in played])
    speed, crashes = (float(np.mean([e.measures[name] for e in played])) for name in ("speed", "crashes"))
    worst = returns[: len(returns) // 4]
    return round(speed, 2), round(crashes, 2), round(float(returns.mean())), round(float(worst.mean()))


if __name__ == "__main__":
    columns = ("recipe", "weight", "risk", "seed", "speed", "crashes", "return", "worst quarter")
    cells = ((*rule, risk, seed) for rule, risk, seed in itertools.product(RULES, RISKS, range(SEEDS)))
    fill("driver", columns, cells, drive)
