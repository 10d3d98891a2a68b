"""Utilities of the reward and risk measures of the return where running fast is risky (Section 5.3 of the paper).

A power of 1 and CVaR at level 1 change nothing: one neutral cell stands for both.
"""

from typing import Any

from pacer.experiments.experiment import Cell, Experiment

ENV = "pacer/RiskyHalfCheetah-v0"
VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"probability": 0.05, "keep_forward_reward": False},  # the other published one, where risk matters more
)
UTILITIES = ("power:0.5", "power:0.8", "power:1.5", "power:2")
RISKS = ("cvar:0.25", "cvar:0.5", "cvar:0.75", "cvar:0.9")

CELLS = tuple(
    Cell("pacer-m", ENV, risk=risk, utility=utility, env_kwargs=variant)
    for variant in VARIANTS
    for risk, utility in [(None, None), *((None, utility) for utility in UTILITIES), *((risk, None) for risk in RISKS)]
)

EXPERIMENT = Experiment("powers and CVaR on two variants of the risky HalfCheetah", CELLS)
