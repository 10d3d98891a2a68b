"""The model card: a README.md whose head model hubs read."""

import json
from collections.abc import Mapping
from typing import Any


def card_text(about: Mapping[str, Any], folder: str, onnx: bool) -> str:
    """What the policy is, what it reached, and how it is played."""
    environment, recipe = about.get("environment", "unknown"), about.get("recipe", "unknown")
    if wrappers := [wrapper.rpartition(":")[2] for wrapper in about.get("wrappers", [])]:
        environment = f"{environment} in {', '.join(wrappers)}"  # whose returns are not those of the bare one
    returns = about.get("returns")
    told = [
        f"A policy for `{environment}`, trained with [pacer](https://arxiv.org/abs/2306.06637) {about['pacer']}.",
        _table(about),
        "## Play",
        "Without JAX, with NumPy alone; `play.py` is in this folder:",
        "```python\nfrom play import Policy\n\npolicy = Policy()\n"
        "action, _ = policy.predict(observation, deterministic=True)\n```",
        "With pacer, which also tells the returns it expects:",
        f'```python\nimport pacer\n\nagent = pacer.load("{folder}")\n'
        "action, _ = agent.predict(observation, deterministic=True)\n```",
    ]
    if onnx:
        told += [
            "With ONNX: `greedy.onnx` takes `observation` (batch, "
            f"{about['observation']}); `sampled.onnx` also takes `noise` (batch, {about['noise']}), standard normals. "
            "Both give `action`. Observations go in as the environment gives them and actions come out in its bounds: "
            "normalisation, squashing and scaling are inside.",
        ]
    head = [
        "library_name: pacer",
        f"license: {json.dumps(about['licence'])}",
        "tags: [reinforcement-learning, continuous-control, distributional, pacer]",
        *(_results(environment, recipe, returns) if returns else []),
    ]
    return "\n".join(["---", *head, "---", "", f"# {recipe} on {environment}", "", "\n\n".join(told), ""])


def _table(about: Mapping[str, Any]) -> str:
    returns, rows = about.get("returns"), dict(about)
    rows["actions"] = f"{len(about['low'])}, from {about['low']} to {about['high']}"
    if returns:
        rows["greedy return"] = f"{_score(returns)} ({returns['episodes']} episodes)"
    names = ("recipe", "environment", "environment_options", "wrappers", "seed", "steps", "greedy return")
    shown = (*names, "observation", "actions", "noise", "licence")
    lines = [
        f"| {name.replace('_', ' ')} | {rows[name]} |" for name in shown if rows.get(name) not in (None, {}, [], "")
    ]
    return "\n".join(["| | |", "|---|---|", *lines])


def _results(environment: str, recipe: str, returns: Mapping[str, Any]) -> list[str]:
    """The score as hubs list it; JSON is YAML."""
    task = {"type": "reinforcement-learning", "name": "reinforcement-learning"}
    metric = {"type": "mean_reward", "name": "mean_reward", "value": _score(returns)}
    result = {"task": task, "dataset": {"name": environment, "type": environment}, "metrics": [metric]}
    return ["model-index:", f"- name: {json.dumps(recipe)}", f"  results: {json.dumps([result])}"]


def _score(returns: Mapping[str, Any]) -> str:
    return f"{returns['mean']:.2f} +/- {returns['deviation']:.2f}"
