"""Tables of what the kept runs earned, greedy / sampled: those of the pages, by name."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from kept import DUAL, LAST, Found, at_the_end, kept, of_seeds, runs
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
