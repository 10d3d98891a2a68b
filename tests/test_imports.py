"""Imports point one way: types and networks, pieces, backup and improvement, recipe, learner, host, commands."""

import ast
from pathlib import Path

import pytest

import pacer

ROOT = Path(pacer.__file__).parent
FAMILIES = ("actors", "critics", "encouragers", "utility", "risk", "exploration")
GROUND = ("types", "networks")

# What each part may import from this package; a folder stands for all its files.
ALLOWED = {
    "types": (),
    "errors": (),
    "networks": ("types",),
    **{family: (*GROUND, "errors", family) for family in FAMILIES},
    "backup": (*GROUND, *FAMILIES),
    "improvement": (*GROUND, *FAMILIES),
    "recipe": (*GROUND, *FAMILIES, "backup", "improvement"),
    "recipes": (*GROUND, *FAMILIES, "backup", "improvement", "recipe"),
    "moments": ("types",),
    "learner": (*GROUND, *FAMILIES, "moments", "backup", "improvement", "recipe"),
    "short_names": ("errors", "risk", "utility"),
    "seeds": (),
    "files": ("errors",),
    "replay": ("types", "errors"),
    "world": ("types", "errors"),
    "collect": ("types", "seeds", "replay", "world"),
    "policy": ("types", "actors", "moments"),
    "evaluate": ("types", "seeds", "policy", "world"),
    "envs": ("envs", "errors", "video"),
    "video": ("errors",),
}
# The pieces' whole recipe in hand, as a type only: it stands above them.
TYPE_ONLY = {"backup": ("recipe",), "improvement": ("recipe",)}
PIECES = (*GROUND, *FAMILIES, "backup", "improvement", "recipe", "recipes", "learner", "moments")
HOST_WITHOUT_JAX = ("envs", "replay", "world", "collect", "seeds", "files", "errors", "video")


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield parts[0], path


def imported(path, type_only):
    """Modules that a file imports anywhere, or those it imports for type checking only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            guarded |= {inner for part in node.body for inner in ast.walk(part)}
    for node in ast.walk(tree):
        if (node in guarded) is not type_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            if node.module == "pacer":
                yield from (f"pacer.{alias.name}" for alias in node.names)
            else:
                yield node.module


def ours(names):
    return {name.split(".")[1] for name in names if name.startswith("pacer.")}


FILES = list(modules())
IDS = [str(path.relative_to(ROOT)) for _, path in FILES]


LISTED = [(part, path) for part, path in FILES if part in ALLOWED]


@pytest.mark.parametrize("part, path", LISTED, ids=[str(path.relative_to(ROOT)) for _, path in LISTED])
def test_imports_point_one_way(part, path):
    assert ours(imported(path, type_only=False)) <= set(ALLOWED[part])
    assert ours(imported(path, type_only=True)) <= {*ALLOWED[part], *TYPE_ONLY.get(part, ())}


@pytest.mark.parametrize("part, path", FILES, ids=IDS)
def test_pieces_know_no_environments_and_environments_no_jax(part, path):
    roots = {name.split(".")[0] for name in imported(path, type_only=False)}
    if part in PIECES:
        assert not roots & {"gymnasium", "mujoco", "rich", "tyro", "safetensors", "json", "os", "time"}
    if part in HOST_WITHOUT_JAX:
        assert not roots & {"jax", "jaxlib", "optax"}
    assert "pickle" not in roots


def test_nothing_below_imports_the_commands():
    below = {
        path.name: ours(imported(path, type_only=False)) for part, path in FILES if part not in ("cli", "commands")
    }
    assert not {name for name, names in below.items() if names & {"cli", "commands"}}


def test_every_part_is_either_listed_or_host_code():
    host = {"__init__", "agent", "api", "arrays", "cli", "commands", "config", "display", "presets", "run_folder"}
    host |= {"runtime", "stopping", "training"}
    assert {part for part, _ in FILES} - set(ALLOWED) == host
