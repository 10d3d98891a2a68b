"""What a core's time buys: returns against seconds of training, of our recipes and of SBX's in its fastest setting.

    python benchmarks/core_hour.py [--minutes 20] [--seeds 0 1] [--env HalfCheetah-v4 Hopper-v4] [--cores 0 1]

Every run has one core for so many minutes of process time; evaluations (5 greedy episodes every 5,000 steps) do not
count for anyone. Needs the environment that `make bench` makes. Writes results/core_hour.md, .csv and, where there is
Matplotlib, .svg.
"""

import argparse
import csv
import subprocess
from typing import Any

from race import RESULTS, keep, on_cores, run

NAMES = ("pacer:pacer", "pacer:sac", "sbx:SAC:fast", "sbx:TQC:fast")
EVERY = 5_000


def draw(rows: list[dict[str, Any]], envs: list[str]) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(envs), figsize=(5 * len(envs), 3.5), squeeze=False, layout="constrained")
    for axis, env in zip(axes[0], envs, strict=True):
        for color, name in enumerate(dict.fromkeys(row["name"] for row in rows)):
            for seed in dict.fromkeys(row["seed"] for row in rows):
                curve = [r for r in rows if (r["env"], r["name"], r["seed"]) == (env, name, seed)]
                label = name if curve and seed == rows[0]["seed"] else None
                axis.plot(
                    [r["seconds"] / 60 for r in curve], [r["return"] for r in curve], color=f"C{color}", label=label
                )
        axis.set(title=env, xlabel="minutes of one core", ylabel="return")
        axis.legend()
    figure.savefig(RESULTS / "core_hour.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--env", nargs="+", default=["HalfCheetah-v4", "Hopper-v4"])
    parser.add_argument("--names", nargs="+", default=NAMES)
    parser.add_argument("--cores", type=int, nargs="+", default=[0], help="one run at a time on each")
    parser.add_argument("--evaluate-every", type=int, default=EVERY)
    arguments = parser.parse_args()

    def train(job: tuple[str, int, str], core: int) -> list[dict[str, Any]]:
        env, seed, name = job
        limits = {"seconds": 60 * arguments.minutes, "evaluate_every": arguments.evaluate_every}
        try:
            lines = run(name, env, seed=seed, core=core, **limits)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"{env} seed {seed} {name} failed: {error}", flush=True)
            return []
        scored = [line for line in lines if line["return"] is not None]
        print(
            f"{env} seed {seed} {name}: {lines[-1]['step']} steps, {[round(s['return']) for s in scored]}", flush=True
        )
        return [{"env": env, "name": name, "seed": seed, "steps": lines[-1]["step"], **line} for line in scored]

    jobs = [(env, seed, name) for env in arguments.env for seed in arguments.seeds for name in arguments.names]
    rows = [row for result in on_cores(arguments.cores, jobs, train) for row in result]
    lines = ["| task | contestant | seed | steps | last return | best return |", "|---|---|--:|--:|--:|--:|"]
    for env, seed, name in jobs:
        curve = [row for row in rows if (row["env"], row["seed"], row["name"]) == (env, seed, name)]
        if curve:
            best = max(row["return"] for row in curve)
            lines.append(
                f"| {env} | `{name}` | {seed} | {curve[-1]['steps']} | {curve[-1]['return']:.0f} | {best:.0f} |"
            )
    keep("core_hour", f"After {arguments.minutes:g} minutes of one core each:\n\n" + "\n".join(lines))
    with open(RESULTS / "core_hour.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["env", "name", "seed", "steps", "step", "seconds", "return"])
        writer.writeheader()
        writer.writerows(rows)
    try:
        draw(rows, arguments.env)
    except ImportError:
        print("no figure: pip install 'pacer-rl[report]' brings Matplotlib")


if __name__ == "__main__":
    main()
