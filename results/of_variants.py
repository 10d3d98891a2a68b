"""Tables of variants of a recipe, from the runs and the numbers that are kept, greedy / sampled, by name."""

from collections.abc import Callable

import numpy as np
from kept import DUAL, Found, at_the_end, kept, of_seeds, over, variants
from of_runs import MUJOCO, level
from rows import shown
from table import markdown

Source = Callable[[str], list[Found]]
"""The seeds of a variant on a task."""


def of(name: str, label: str) -> Source:
    return lambda env: kept(name, env, label)


def numbers(variant: str, series: str = "weights") -> Source:
    return lambda env: variants(series, env, variant)


WEIGHTS: dict[str, Source] = {
    "a dual without floor": of("weights", DUAL),
    "floor: 0.05 of the force": numbers("pacer, at least 0.05 of the force"),
    "**floor: 0.1 of the force, at most 0.2 (`pacer`)**": of("main", "pacer"),
    "the same, at most 0.1": of("weights", "pacer-weight.most_0.1"),
    "`Fixed:0.2`": of("weights", "pacer-weight_Fixed_0.2"),
    "`pacer-m-adaptive`": of("main", "pacer-m-adaptive"),
}
ON_ANT: dict[str, Source] = {
    "a dual: holds an entropy of -A, from 1 on": of("weights", DUAL),
    "the same, from 0.1 on": of("weights", "pacer-weight_Dual_0.1_0_1"),
    "the same, an actor step for two of the critic": of("weights", f"{DUAL}-policy_delay_2"),
    "holds an entropy of 0: wider": of("weights", "pacer-weight_Dual"),
    "**fixed at 0.2 of the unit of reward**": of("weights", "pacer-weight_Fixed_0.2"),
    "fixed at 0.5": of("weights", "pacer-weight_Fixed_0.5"),
    "MMD without root, fixed at 1 (seed 1)": numbers("pacer, MMD:4:64 without root, Fixed:1"),
    "a pull to the centre alone (MMD with squared distances, fixed at 0.25)": of(
        "weights", "pacer-encourager_MMD_c0af7fc1-weight_Fixed_0.25"
    ),
    "`pacer-m-adaptive`": of("main", "pacer-m-adaptive"),
}


TWO = "pacer-return_steps_2"
COUNTED: dict[str, Source] = {
    "one (`pacer`)": of("main", "pacer"),
    "two, corrected": numbers("pacer, two rewards, corrected", "rewards"),
    "two, half corrected": of("steps", f"{TWO}-return_correction_0.5"),
    "two, as they were played": of("steps", f"{TWO}-return_correction_0"),
    "three, as they were played": of("steps", "pacer-return_steps_3-return_correction_0"),
}


def steps() -> str:
    """Means of the last evaluations up to 50,000 and 100,000 steps, by how many rewards a target counts; and as shares
    of what one reward has, greedy and sampled play alike, the geometric mean of the tasks."""

    def ended(source: Source, end: int) -> list[list[tuple[float, float]]]:
        return [[at_the_end(seed, end) for seed in source(env) if end in seed] for env in MUJOCO]

    def row(words: str, source: Source, end: int) -> tuple[str, ...]:
        one, found = ended(COUNTED["one (`pacer`)"], end), ended(source, end)
        shares = [np.mean(these) / np.mean(those) for these, those in zip(found, one, strict=True) if these]
        told = f"{np.exp(np.log(shares).mean()):.2f}" if len(shares) == len(MUJOCO) else ""
        return (f"{words}, {end // 1000}k", *map(of_seeds, found), told)

    rows = [row(words, source, end) for end in (50_000, 100_000) for words, source in COUNTED.items()]
    return markdown((*MUJOCO, "of one"), [row for row in rows if any(row[1:])])


SOFTLY = "softness {} and features smaller for it, 1e-3, one or two rewards"
PARTS: dict[str, Source] = {
    "`pacer`": of("main", "pacer"),
    **{
        words.replace("layer norm", "`LayerNorm`"): numbers(f"pacer, {words}", "parts")
        for words in (
            "layer norm",
            "learning rates of 1e-3",
            "layer norm, 1e-3",
            "layer norm, 1e-3, one or two rewards",
            SOFTLY.format(1),
            SOFTLY.format(4),
        )
    },
    "**softness 1, 6e-4, one or two rewards (`pacer-soft`)**": of("main", "pacer-soft"),
    "the same, its floor at most 0.1": numbers("pacer-soft, floor at most 0.1", "parts"),
    "the same, 3e-4 (HalfCheetah: seed 1)": numbers("pacer-soft, learning rates of 3e-4", "parts"),
    "the same, one reward (HalfCheetah: seed 1)": numbers("pacer-soft, one reward", "parts"),
    "the same, no norm (HalfCheetah: seed 1)": numbers("pacer-soft, no norm", "parts"),
}


def parts() -> str:
    """Means of the last evaluations up to 50,000 steps, or up to where runs were stopped."""

    def cell(source: Source, env: str) -> str:
        seeds = source(env)
        if not seeds:
            return ""
        reached = min(50_000, *(max(seed) for seed in seeds))
        stopped = "" if reached == 50_000 else f", to {reached // 1000}k"
        return of_seeds([at_the_end(seed, reached) for seed in seeds]) + stopped

    return markdown(MUJOCO, [(words, *(cell(source, env) for env in MUJOCO)) for words, source in PARTS.items()])


def weights() -> str:
    """Means of the evaluations at 60,000, 70,000 ... 100,000 steps."""
    steps = range(60_000, 100_001, 10_000)
    rows = [
        (words, *(of_seeds([over(seed, steps) for seed in source(env)]) for env in MUJOCO))
        for words, source in WEIGHTS.items()
    ]
    return markdown(MUJOCO, rows)


def on_ant() -> str:
    rows = [(words, ", ".join(shown(seed[30_000]) for seed in source("Ant-v4"))) for words, source in ON_ANT.items()]
    return markdown(("30,000 steps",), rows)


RATES = "td3-actor_optimiser.learning_rate_0.001-critic_optimiser.learning_rate_0.001"
TD3: dict[str, Source] = {
    "`td3`": of("main", "td3"),
    "25,000 random steps, and learning from then on": of("td3", "td3-warm_up_25000-learn_after_25000"),
    "observations as they are": of("td3", "td3-normalise_observations_False"),
    "learning rates of 1e-3, instead of 3e-4": of("td3", RATES),
}


def td3() -> str:
    """Means of the last evaluations at 100,000 steps, of each seed, beside what is published."""
    envs = ("Hopper-v4", "Walker2d-v4")
    rows = [
        (words, *(", ".join(f"{at_the_end(seed, 100_000)[0]:.0f}" for seed in source(env)) for env in envs))
        for words, source in TD3.items()
    ]
    return markdown(envs, [*rows, ("published", *(level("td3", env, 100_000) for env in envs))])


PLATEAU: dict[str, Source] = {
    "`pacer`": of("main", "pacer"),
    "the same, a Gaussian actor": of("hopper", "pacer-actor_Gaussian"),
    "the same, a weight without floor": of("weights", DUAL),
    "the same, that weight from 0.1 on": of("hopper", "pacer-weight_Dual_0.1_0_1"),
    "the same, an actor step for two of the critic": of("hopper", "pacer-policy_delay_2"),
    "`sac`": of("main", "sac"),
    "the same, entropy not in the return": of("hopper", "sac-backup.penalty_in_return_False"),
}


def plateau() -> str:
    """Greedy and sampled returns on Hopper up to 40,000 steps, of each seed."""
    steps = range(10_000, 40_001, 10_000)
    rows = [
        (words, *(", ".join(shown(seed[step]) for seed in source("Hopper-v4")) for step in steps))
        for words, source in PLATEAU.items()
    ]
    return markdown([f"{step // 1000}k" for step in steps], rows)
