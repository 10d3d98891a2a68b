"""The small grid behind the report in docs/report.md: two MuJoCo tasks, risk, and navigation.

pacer bench docs/report/grid.py
"""

from pacer.experiments import Cell, Experiment, grid

RISKY, CAR = "pacer/RiskyHalfCheetah-v0", "pacer/CarNavigation1-v0"

EXPERIMENT = Experiment(
    "what the report of the documentation shows",
    cells=(
        *grid(("pacer", "pacer-m-adaptive", "sac", "td3"), ("HalfCheetah-v4", "Hopper-v4")),
        *(Cell("pacer-m-adaptive", RISKY, risk=risk) for risk in ("cvar:0.25", "cvar:1")),
        Cell("pacer-m-adaptive", CAR),
    ),
    steps=20_000,
    seeds=2,
    size="small",
    insight=True,
)
