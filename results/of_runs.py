"""Tables of what the kept runs earned, greedy / sampled: those of the pages, by name."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
from kept import DUAL, LAST, Found, at_the_end, kept, of_seeds, over, runs, variants
from rows import row, shown
from table import markdown

import pacer
from pacer.experiments.find import find
from pacer.reports.reference import published
from pacer.reports.statistics import cvar

RESULTS = Path(__file__).parent
STEPS = (20_000, 50_000, 100_000)
METHODS = {"sac": "SAC u1", "td3": "TD3 u1"}
MUJOCO = ("HalfCheetah-v4", "Hopper-v4", "Walker2d-v4", "Ant-v4")
CAR, CHEETAH = "pacer/CarNavigation1-v0", "pacer/RiskyHalfCheetah-v0"


def level(recipe: str, env: str, step: int) -> str:
    """What was published after as many steps."""
    return "".join(f"{at.score:.0f}" for at in published(env) if (at.method, at.steps) == (METHODS.get(recipe), step))


def standing(*names: str) -> str:
    """Where the recipes of experiments stand on the tasks that these have in common."""
    experiments = [(name, find(str(RESULTS / f"{name}.py"))) for name in names]
    *_, before, end = (step for step in STEPS if step <= min(experiment.steps for _, experiment in experiments))
    rows = []
    for env in dict.fromkeys(cell.env for cell in experiments[-1][1].cells):
        for name, recipe in [
            (name, cell.recipe) for name, this in experiments for cell in this.cells if cell.env == env
        ]:
            if ended := [found for found in kept(name, env, recipe) if end in found]:
                at = [of_seeds([found[step] for found in ended]) for step in (before, end)]
                last = of_seeds([at_the_end(found, end) for found in ended])
                rows.append((f"{env}, `{recipe}`", *at, last, level(recipe, env, end)))
    head = (f"{before:,} steps", f"{end:,} steps", f"last {LAST} evaluations", f"published at {end:,}")
    return markdown(head, rows)


def overview(name: str) -> str:
    """The last evaluations of each recipe of an experiment, a column a task, beside what is published."""
    experiment = find(str(RESULTS / f"{name}.py"))
    envs = tuple(dict.fromkeys(cell.env for cell in experiment.cells))

    def cell(env: str, recipe: str) -> str:
        seeds = [at_the_end(found, experiment.steps) for found in kept(name, env, recipe)]
        greedy = [mean for mean, _ in seeds]
        fewer = "" if len(seeds) == experiment.seeds else f"; seeds: {len(seeds)}"
        return f"{shown(np.mean(seeds, axis=0))} ({min(greedy):.0f} to {max(greedy):.0f}{fewer})"

    recipes = dict.fromkeys(cell.recipe for cell in experiment.cells)
    rows = [(f"`{recipe}`", *(cell(env, recipe) for env in envs)) for recipe in recipes]
    theirs = [(f"published: `{recipe}`", *(level(recipe, env, experiment.steps) for env in envs)) for recipe in METHODS]
    return markdown(envs, [*rows, *theirs])


def on_the_way(name: str, envs: Iterable[str], labels: Mapping[str, str], every: int, end: int) -> str:
    """A row for each run, by label and the words for it, and a column each so many steps."""
    rows = [
        row(run, every, end, words) for env in envs for label, words in labels.items() for run in runs(name, env, label)
    ]
    return markdown([f"{step / 1000:g}k" for step in range(every, end + 1, every)], rows)


MMD = "pacer-encourager_MMD_f422ca09-weight_{}"
CANDIDATES = {
    "`pacer-soft`": "pacer-soft",
    "`pacer`": "pacer",
    "the same, a weight without floor": DUAL,
    "`pacer-m-adaptive`": "pacer-m-adaptive",
    "`drac`, a spread with a dual": "drac",
    "MMD, a share of the force (`Balanced`)": MMD.format("Balanced"),
    "MMD, fixed at 1 in return units": MMD.format("Fixed_1"),
}


def candidate(env: str, label: str, step: int) -> list[Found]:
    """The seeds of a rule that got as far, in whatever set they are."""
    return next(
        (
            seeds
            for name in ("candidates", "main", "small", "weights", "cars")
            if (seeds := [found for found in kept(name, env, label) if step in found])
        ),
        [],
    )


def candidates(*tasks: tuple[str, int]) -> str:
    """Each rule on tasks, after so many steps: means of the last evaluations."""

    def cell(label: str, env: str, step: int) -> str:
        return of_seeds([at_the_end(seed, step) for seed in candidate(env, label, step)])

    rows = [(words, *(cell(label, *task) for task in tasks)) for words, label in CANDIDATES.items()]
    return markdown([f"{env}, {step // 1000}k" for env, step in tasks], rows)


def candidates_on_small_tasks() -> str:
    """Each seed, at its end."""
    tasks = (
        ("InvertedPendulum-v4", "", 10_000),
        ("Pendulum-v1", "", 10_000),
        ("MountainCarContinuous-v0", "-noise_Held", 30_000),
    )

    def cell(label: str, env: str, needed: str, step: int) -> str:
        return ", ".join(shown(seed[step]) for seed in candidate(env, label + needed, step))

    rows = [(words, *(cell(label, *task) for task in tasks)) for words, label in CANDIDATES.items()]
    return markdown([f"{env}, {step // 1000}k" for env, _, step in tasks], rows)


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


def car(label: str) -> str:
    """Means over the ten evaluations of each 50,000 steps: a single one tells little here."""
    (run,) = runs("cars", CAR, label)
    table, width = run.evaluations(), 50_000
    ends = range(width, int(table["step"].max()) + 1, width)

    def both(column: str, end: int, digits: int) -> str:
        within = (table["step"] > end - width) & (table["step"] <= end)
        means = [table[column][within & (table["mode"] == mode)].mean() for mode in ("greedy", "sampled")]
        return shown(means, digits)

    columns = {"return": 0, "goals": 1, "hazards": 0, "treasures": 0}
    words = ("return, greedy / sampled", "goals in an episode", "steps on hazards", "steps on treasures")
    rows = [
        (text, *(both(name, end, digits) for end in ends))
        for text, (name, digits) in zip(words, columns.items(), strict=True)
    ]
    return markdown([f"to {end // 1000}k" for end in ends], rows)


KINDS = {"cost 70, chance 0.1": "", "and its gain, 0.05": "-env.probability_0.05-env.keep_forward_reward_False"}
PREFERENCES = {
    "neutral": "pacer",
    "`power:0.5`": "pacer-utility_power_0.5",
    "`power:2`": "pacer-utility_power_2",
    "`cvar:0.25`": "pacer-risk_cvar_0.25",
}


def risky() -> str:
    """Sampled episodes of the last evaluations, of each seed: means over the evaluations, of ten episodes each."""
    rows = [
        (f"{kind}: {words}", *map(", ".join, zip(*map(tail, seeds), strict=True)))
        for kind, ending in KINDS.items()
        for words, label in PREFERENCES.items()
        if (seeds := runs("risky", CHEETAH, label + ending))
    ]
    return markdown(("mean return", "mean of the worst quarter", "steps above the speed"), rows)


def tail(run: pacer.Run) -> tuple[str, str, str]:
    """Mean return, mean of the worst quarter of an evaluation's episodes, and share of steps above the speed."""
    table = run.evaluations()
    sampled = table["mode"] == "sampled"
    last = [sampled & (table["step"] == step) for step in np.unique(table["step"])[-LAST:]]
    returns = [table["return"][rows] for rows in last]
    above = np.mean([table["above_limit"][rows].mean() for rows in last])
    worst = np.mean([cvar(these, 0.25) for these in returns])
    return f"{np.mean(returns):.0f}", f"{worst:.0f}", f"{100 * above:.1f} %"
