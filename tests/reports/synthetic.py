"""Run folders in the real format, made in milliseconds: nothing is trained."""

import json
from pathlib import Path

import numpy as np

from pacer.config import Schedule, resolve
from pacer.runs.arrays import save_arrays
from pacer.runs.codec import encode
from pacer.runs.files import save_json

VERSIONS = {"pacer-rl": "0.1.0", "jax": "0.10.2", "numpy": "2.4.6"}
TASKS = ("HalfCheetah-v4", "Hopper-v4", "Walker2d-v4", "Ant-v4", "Humanoid-v4", "HumanoidStandup-v4")


def grid(root, tasks=TASKS, recipes=("pacer-m-adaptive", "sac", "td3"), seeds=3, **options):
    """A run per task, recipe and seed: 54 by default."""
    return [
        write(root / task / recipe / f"seed{seed}", task, recipe, seed, **options)
        for task in tasks
        for recipe in recipes
        for seed in range(seeds)
    ]


def write(
    path: Path, environment="HalfCheetah-v4", recipe="sac", seed=0, evaluations=200, done=1.0, label=None, **options
):
    """One run of which the share `done` has happened."""
    rng = np.random.default_rng([seed, *f"{environment} {recipe} {options}".encode()])
    steps = 5_000 * evaluations
    config = encode(resolve(environment, recipe, steps=steps, seed=seed, schedule=Schedule(), **options))
    path.mkdir(parents=True)
    save_json(path / "config.json", {"config": {**config, **({"label": label} if label else {})}})
    finished = done >= 1
    facts = {"status": "finished" if finished else "stopped", "bit_exact": seed != 1, "machine": "Linux x86_64"}
    save_json(path / "run.json", {**facts, "processor": "f00d", "backend": "cpu", "versions": VERSIONS})
    if finished:
        save_json(path / "DONE", {"steps": steps})
    reached = round(done * evaluations)
    _evaluations(path, rng, reached, environment)
    _logs(path, rng, max(5 * reached, 1), recipe)
    return path


def _rows(path, header, columns):
    rows = zip(*(np.asarray(c).tolist() for c in columns), strict=True)
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")


def _evaluations(path, rng, reached, environment, episodes=10):
    """Returns that rise and level off; the risky cheetah and the cars have columns of their own."""
    step = np.repeat(5_000 * np.arange(1, reached + 1), 2 * episodes)
    mode = np.tile(np.repeat(["greedy", "sampled"], episodes), reached)
    rise = rng.uniform(2_000, 6_000) * (1 - np.exp(-step / 3e5))
    total = rise - 100 + rng.normal(0, 50 + 0.1 * rise) - 200 * (mode == "sampled")
    columns = [step, mode, np.tile(np.arange(episodes), 2 * reached), total, np.full(step.size, 1000), 0.6 * total]
    header = "step,mode,episode,return,length,discounted"
    extra = {}
    if "Risky" in environment:
        extra = {"penalties": rng.poisson(5, step.size), "above_limit": rng.uniform(0, 1, step.size)}
        extra |= {"penalties": extra["penalties"].astype(float), "velocity": rng.normal(4, 1, step.size)}
    if "Navigation" in environment:
        extra = {name: rng.poisson(3, step.size).astype(float) for name in ("goals", "hazards", "treasures")}
    _rows(path / "evaluations.csv", ",".join([header, *extra]), [*columns, *extra.values()])


def _logs(path, rng, rows, recipe):
    step = 1_000 * np.arange(1, rows + 1)
    figures = {"episodes": step // 1000, "train_return": 3000 * (1 - np.exp(-step / 3e5)) + rng.normal(0, 100, rows)}
    figures["train_return"][0] = np.nan
    figures |= {"actor_loss": rng.normal(-30, 5, rows), "critic_loss": rng.gamma(2, 0.5, rows)}
    if recipe.startswith("pacer"):
        figures |= {"distance": 0.5 + step / step.max(), "weight": 0.3 + 0.1 * rng.uniform(size=rows)}
        figures |= {"spread": 0.6 - 0.3 * step / step.max()}
    elif recipe == "sac":
        figures |= {"log_density": rng.normal(2, 0.2, rows), "weight": np.exp(-step / 3e5)}
    elif recipe == "td3":  # as runs before 0.3 told it
        figures |= {"distance": np.zeros(rows), "weight": np.zeros(rows)}
    _rows(path / "progress.csv", ",".join(["step", *figures]), [step, *figures.values()])
    seconds = rng.uniform([[0.2], [6], [0.5]], [[0.3], [7], [0.7]], (3, rows))
    _rows(path / "timings.csv", "step,collect,learn,evaluate", [step, *seconds])


def insight(path: Path, states=3, phases=(100_000, 500_000, 1_000_000), bins=40, dimensions=(0, 1)):
    """Heat maps that narrow from phase to phase, and a critic that is nearly right."""
    rng = np.random.default_rng(0)
    counts = np.zeros((len(phases), states, bins, bins), np.int32)
    for phase in range(len(phases)):
        for state in range(states):
            drawn = np.tanh(rng.normal(0.4 * state - 0.4, 1 / (1 + 2 * phase), (100_000, 2)))
            counts[phase, state] = np.histogram2d(*drawn.T, bins=bins, range=[[-1, 1]] * 2)[0]
    (path / "insight").mkdir()
    heat = {"states": rng.normal(size=(states, 17)).astype(np.float32), "phases": np.array(phases, np.int64)}
    heat |= {"dimensions": np.array(dimensions, np.int64), "counts": counts}
    heat |= {"spread": np.linspace(0.6, 0.1, len(phases) * states, dtype=np.float32).reshape(len(phases), states)}
    save_arrays(path / "insight" / "heatmaps.safetensors", heat)
    levels = (np.arange(32) + 0.5) / 32
    value = np.quantile(rng.normal(300, 40, (states, 5_000)), levels, axis=1).T.astype(np.float32)
    returns = {"value": np.ascontiguousarray(value), "mass": np.full((states, 32), 1 / 32, np.float32)}
    returns |= {"monte_carlo": rng.normal(290, 50, (states, 100)).astype(np.float32), "scale": np.float32([1.0])}
    save_arrays(path / "insight" / "returns.safetensors", returns)


def rename(path: Path, **changes):
    """Other names in a run's configuration, such as an environment called <script>."""
    content = json.loads((path / "config.json").read_text())
    content["config"] |= changes
    (path / "config.json").write_text(json.dumps(content))
