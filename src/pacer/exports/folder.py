"""The folder of an exported policy: what it is, the policy for NumPy and for ONNX, and the agent itself."""

import json
import shutil
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from pacer.agent import Agent
from pacer.envs.bounds import to_box
from pacer.errors import PacerError
from pacer.exports import play
from pacer.exports.card import card_text
from pacer.exports.evaluations import evaluation_arrays
from pacer.exports.graph import Graph, trace
from pacer.exports.onnx_file import write_onnx
from pacer.pieces.types import Array
from pacer.runs.files import replacing
from pacer.runs.reader import NoRun, Run

FORMAT = 1
TOLERANCE = 1e-5  # of half an action's range
CHECKED = 256  # observations
OPTIONAL = ("evaluations.npz", "sampled.onnx", "greedy.onnx", "README.md")


class Exported(NamedTuple):
    """Where an export is, and by how much it differs at most from the agent, in units of half an action's range."""

    path: Path
    numpy: float
    onnx: float | None
    """Nothing where no ONNX file was asked for, or no onnxruntime is there to run it."""


def export(
    run: str | Path,
    output: str | Path | None = None,
    *,
    onnx: bool = False,
    card: bool = False,
    licence: str = "unknown",
) -> Exported:
    """Write the agent of a run, or of an agent folder, for programs without JAX; `export` in its folder by default.

    The folder holds policy.json (what it is), policy.npz with play.py (NumPy), the agent for `pacer.load`, and if
    asked sampled.onnx and greedy.onnx, and a model card. What was written is played beside the agent.
    """
    source = Path(run)
    agent, facts, evaluations = _read(source)
    folder = Path(output) if output is not None else source / "export"
    if folder.exists() and any(folder.iterdir()) and not (folder / "policy.json").exists():
        raise PacerError(f"{folder} is not empty and holds no export: name another folder with --output")
    graphs = graphs_of(agent)
    folder.mkdir(parents=True, exist_ok=True)
    about = {
        "format": FORMAT,
        "what": "a policy trained with pacer",
        **facts,
        "licence": licence,
        "pacer": version("pacer-rl"),
        "observation": agent.space.observation,
        "noise": graphs["sampled"].inputs["noise"],
        "low": agent.low.tolist(),
        "high": agent.high.tolist(),
    }
    for name in OPTIONAL:
        (folder / name).unlink(missing_ok=True)  # of an export before, which may have been of another agent
    agent.save(folder)
    _write_numpy(folder, about, graphs)
    shutil.copyfile(play.__file__, folder / "play.py")
    if evaluations:
        np.savez(folder / "evaluations.npz", allow_pickle=False, **evaluations)
    if onnx:
        told = {name: json.dumps(value) for name, value in about.items()}
        for name, graph in graphs.items():
            write_onnx(graph, agent.space.action, folder / f"{name}.onnx", told)
    if card:
        (folder / "README.md").write_text(card_text(about, folder.name, onnx), encoding="utf-8")
    return Exported(folder, _check(folder, agent), _check_onnx(folder, agent) if onnx else None)


def graphs_of(agent: Agent) -> dict[str, Graph]:
    """Both ways to play, from the observation as the environment gives it to the action as it takes it."""
    boxed = partial(to_box, low=agent.low, high=agent.high, xp=jnp)
    policy, sizes = agent.policy, {"observation": agent.space.observation}
    noise = agent.recipe.actor.noise_size(agent.space)
    return {
        "sampled": trace(lambda obs, noise: boxed(policy.push(obs, noise, jnp)), **sizes, noise=noise),
        "greedy": trace(lambda obs: boxed(policy.greedy(obs, jnp)), **sizes),
    }


def _read(source: Path) -> tuple[Agent, dict[str, Any], dict[str, Any]]:
    """The agent, and what its run tells of it if it belongs to one."""
    try:
        run = Run(source)
    except NoRun:
        if not (source / "agent.json").exists():
            raise
        return Agent.load(source), {}, {}
    settings, step, log = run.settings, run.step, run.evaluations()
    facts = {
        "recipe": settings["label"],
        "environment": settings["environment"],
        "environment_options": settings["environment_options"],
        "wrappers": settings.get("wrappers", []),
        "seed": settings["seed"],
        "steps": step,
    }
    scores = log["return"][(log["step"] == step) & (log["mode"] == "greedy")]
    if scores.size:
        facts["returns"] = {"mean": scores.mean(), "deviation": scores.std(), "episodes": scores.size}
    return run.agent(), facts, evaluation_arrays(log)


def _write_numpy(folder: Path, about: dict[str, Any], graphs: dict[str, Graph]) -> None:
    constants = {name: array for graph in graphs.values() for name, array in graph.constants.items()}
    with replacing(folder / "policy.npz") as file:
        np.savez(file, allow_pickle=False, **constants)
    with replacing(folder / "policy.json") as file:
        file.write(_json(about, graphs).encode())


def _json(about: dict[str, Any], graphs: dict[str, Graph]) -> str:
    """JSON with a line for each entry, and for each node of a graph."""
    parts = [f'"{key}": {json.dumps(value)}' for key, value in about.items()]
    described = []
    for name, graph in graphs.items():
        nodes = ",\n".join(map(json.dumps, graph.nodes))
        described.append(f'"{name}": {{"inputs": {json.dumps(graph.inputs)}, "nodes": [\n{nodes}\n]}}')
    parts.append('"graphs": {\n' + ",\n".join(described) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _check(folder: Path, agent: Agent) -> float:
    """The player beside the agent."""
    player = play.Policy(folder)
    obs, noise = probes(agent)
    return _difference(agent, obs, noise, player.sampled(obs, noise), player.greedy(obs))


def _check_onnx(folder: Path, agent: Agent) -> float | None:
    """The ONNX files beside the agent, where there is something to run them."""
    try:
        import onnxruntime
    except ImportError:
        return None
    obs, noise = probes(agent)
    sampled, greedy = (onnxruntime.InferenceSession(str(folder / f"{name}.onnx")) for name in ("sampled", "greedy"))
    (drawn,) = sampled.run(["action"], {"observation": obs, "noise": noise})
    (best,) = greedy.run(["action"], {"observation": obs})
    return _difference(agent, obs, noise, drawn, best)


def probes(agent: Agent) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Observations as the agent has seen them, and noise."""
    rng = np.random.default_rng(0)
    seen = rng.standard_normal((CHECKED, agent.space.observation), np.float32)
    noise = rng.standard_normal((CHECKED, agent.recipe.actor.noise_size(agent.space)), np.float32)
    return np.asarray(agent.scaling.mean + 2 * seen / agent.scaling.inverse_deviation, np.float32), noise


def _difference(agent: Agent, obs: Array, noise: Array, sampled: Array, greedy: Array) -> float:
    """The largest difference, refused if it is more than rounding."""
    expected = to_box(np.asarray(agent.policy.push(obs, noise)), agent.low, agent.high)
    best, _ = agent.predict(obs, deterministic=True)
    half = (agent.high - agent.low) / 2
    rows = [np.abs((a - b) / half).max(-1) for a, b in ((sampled, expected), (greedy, best))]
    # A rule that picks one of several actions may pick another where two are as good as equal.
    if any(np.quantile(row, 0.99) > TOLERANCE for row in rows):
        raise PacerError(
            f"the exported policy differs from the agent by {max(map(np.max, rows)):.1e} of half an action's range, "
            f"and {TOLERANCE:.0e} is allowed: please report this"
        )
    return float(max(map(np.max, rows)))
