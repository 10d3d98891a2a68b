"""Every table of a page that is made of runs or of measured tables: below a comment that names it.

python results/pages.py        # puts them where they are shown
"""

import re
from functools import partial
from pathlib import Path

import of_runs
import of_tables
import of_variants
from kept import DUAL

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/results.md", "docs/environments.md", "docs/utility-and-risk.md", "results/FINDINGS.md")
MARKED = re.compile(r"(<!-- table: (.+) -->\n\n)((?:\|.*\n)*)\n*")
BOTH = {"pacer-soft": "`pacer-soft`", "pacer": "`pacer`", "sac": "`sac`"}
COUNTED = {
    of_variants.TWO: "two, corrected",
    f"{of_variants.TWO}-return_correction_0.5": "two, half corrected",
    f"{of_variants.TWO}-return_correction_0": "two, as they were played",
}
HELD = {"pacer-noise_Held": "`pacer`, noise `Held`"}
AS_THEY_ARE = {f"{DUAL}-normalise_observations_False": "`pacer`", "sac-normalise_observations_False": "`sac`"}
CONTESTS = (
    ("HalfCheetah-v4", 50_000),
    ("Hopper-v4", 50_000),
    ("Hopper-v4", 100_000),
    ("Walker2d-v4", 100_000),
    (of_runs.CAR, 50_000),
)
SMALL = ("InvertedPendulum-v4", "Pendulum-v1")

TABLES = {
    "overview": partial(of_runs.overview, "main"),
    "main": partial(of_runs.standing, "main"),
    "baselines": partial(of_runs.standing, "main", "baselines"),
    "small tasks": partial(of_runs.on_the_way, "small", SMALL, BOTH, 2_500, 15_000),
    "parts": of_variants.parts,
    "rewards in a target": of_variants.steps,
    "rewards in a target on small tasks": partial(of_runs.on_the_way, "steps", SMALL, COUNTED, 2_500, 15_000),
    "MountainCar": partial(of_runs.on_the_way, "small", ("MountainCarContinuous-v0",), HELD, 5_000, 30_000),
    "observations": partial(
        of_runs.on_the_way, "observations", ("Ant-v4", "HalfCheetah-v4"), AS_THEY_ARE, 10_000, 100_000
    ),
    "candidates": partial(of_runs.candidates, *CONTESTS),
    "candidates on small tasks": of_runs.candidates_on_small_tasks,
    "weights on Ant": of_variants.on_ant,
    "weights": of_variants.weights,
    "td3": of_variants.td3,
    "plateau": of_variants.plateau,
    "car": partial(of_runs.car, DUAL),
    "risky": of_runs.risky,
    "modes": of_tables.modes,
    "greedy on bandits": of_tables.greedy_on_bandits,
    "greedy on agents": of_tables.greedy_on_agents,
    "random play": of_tables.random_play,
    "point mass": of_tables.point_mass,
    "standing": of_tables.standing,
    "drivers": of_tables.drivers,
}


def filled(text: str) -> str:
    """The page with all of its tables as they are now."""
    return MARKED.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}\n\n", text)


if __name__ == "__main__":
    for page in PAGES:
        path = ROOT / page
        path.write_text(filled(path.read_text("utf-8")), "utf-8")
