"""What a core's time buys: returns against seconds of training, of our recipes and of SBX's in its fastest setting.

    python benchmarks/core_hour.py [--minutes 15] [--seeds 0 1] [--env HalfCheetah-v4 Hopper-v4] [--cores 0 1]

Every run has one core for so many minutes of process time; evaluations (5 greedy episodes every 5,000 steps) do not
count for anyone. Needs the environment that `make bench` makes. A run that ends takes its place in
results/core_hour.csv, of which the table, .md, and where there is Matplotlib the figure, .svg, are made.
"""

import argparse
import csv
import subprocess
from threading import Lock
from typing import Any

from race import RESULTS, keep, on_cores, run

NAMES = ("pacer:pacer", "pacer:sac", "sbx:SAC:fast", "sbx:TQC:fast")
EVERY = 5_000
RUN = {"env": str, "name": str, "seed": int, "minutes": float, "steps": int}
FIELDS: dict[str, Any] = RUN | {"step": int, "seconds": float, "return": float}
TABLE = RESULTS / "core_hour.csv"
Row = dict[str, Any]
Run = tuple[Any, ...]


def run_of(row: Row) -> Run:
    """What tells a run from others: task, contestant, seed."""
    return row["env"], row["name"], row["seed"]


def known() -> dict[Run, list[Row]]:
    """Rows of every run so far."""
    runs: dict[Run, list[Row]] = {}
    if TABLE.exists():
        with open(TABLE, newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                row = {name: kind(line[name]) for name, kind in FIELDS.items()}
                runs.setdefault(run_of(row), []).append(row)
    return runs


def add(rows: list[Row]) -> None:
    """These rows of one run, instead of what was known of it."""
    runs = known() | {run_of(rows[0]): rows}
    with open(TABLE, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(FIELDS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for run in sorted(runs) for row in runs[run])


def draw(runs: dict[Run, list[Row]]) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    envs, names = (list(dict.fromkeys(run[part] for run in runs)) for part in (0, 1))
    figure, axes = pyplot.subplots(1, len(envs), figsize=(5 * len(envs), 3.5), squeeze=False, layout="constrained")
    for axis, env in zip(axes[0], envs, strict=True):
        for color, name in enumerate(names):
            curves = [rows for run, rows in runs.items() if run[:2] == (env, name)]
            for number, rows in enumerate(curves):
                minutes, returns = [row["seconds"] / 60 for row in rows], [row["return"] for row in rows]
                axis.plot(minutes, returns, color=f"C{color}", label=name if number == 0 else None)
        axis.set(title=env, xlabel="minutes of one core", ylabel="return")
        axis.legend()
    figure.savefig(RESULTS / "core_hour.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--env", nargs="+", default=["HalfCheetah-v4", "Hopper-v4"])
    parser.add_argument("--names", nargs="+", default=NAMES)
    parser.add_argument("--cores", type=int, nargs="+", default=[0], help="one run at a time on each")
    parser.add_argument("--evaluate-every", type=int, default=EVERY)
    arguments = parser.parse_args()
    writing = Lock()

    def train(job: tuple[str, int, str], core: int) -> None:
        env, seed, name = job
        limits = {"seconds": 60 * arguments.minutes, "evaluate_every": arguments.evaluate_every}
        try:
            lines = run(name, env, seed=seed, core=core, **limits)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{env} seed {seed} {name} failed: {error}", flush=True)
            return
        facts = {"env": env, "name": name, "seed": seed, "minutes": arguments.minutes, "steps": lines[-1]["step"]}
        rows = [{**facts, **line} for line in lines if line["return"] is not None]
        print(f"{env} seed {seed} {name}: {facts['steps']} steps, {[round(r['return']) for r in rows]}", flush=True)
        if rows:
            with writing:
                add(rows)

    jobs = [(env, seed, name) for env in arguments.env for seed in arguments.seeds for name in arguments.names]
    on_cores(arguments.cores, jobs, train)
    runs = known()
    lines = ["| task | contestant | seed | minutes | steps | last return | best |", "|---|---|--:|--:|--:|--:|--:|"]
    for (env, name, seed), rows in runs.items():
        last, best = rows[-1], max(row["return"] for row in rows)
        lines.append(
            f"| {env} | `{name}` | {seed} | {last['minutes']:g} | {last['steps']} | {last['return']:.0f} | {best:.0f} |"
        )
    keep("core_hour", "\n".join(lines))
    try:
        draw(runs)
    except ImportError:
        print("no figure: pip install 'pacer-rl[report]' brings Matplotlib")


if __name__ == "__main__":
    main()
