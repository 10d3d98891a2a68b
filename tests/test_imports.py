"""One way: pieces <- learner <- agent <- training <- api <- experiments <- commands. Files know no JAX."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pacer

ROOT = Path(pacer.__file__).parent
HEART = ("pieces", "recipes", "learner")

# What each part of the package may import from it; a folder stands for all its files.
ALLOWED = {
    "errors": (),
    "runtime": (),
    "imports": ("errors",),
    "streams": (),
    "pieces": ("pieces", "errors"),
    "recipes": ("pieces",),
    "learner": ("pieces",),
    "envs": ("envs", "errors"),
    "runs": ("runs", "errors"),
    "presets": ("pieces",),
    "overrides": ("names", "runs", "errors"),
    "names": ("runs", "errors"),
    "config": ("pieces", "recipes", "presets", "overrides", "names", "runs", "errors"),
    "agent": ("pieces", "runs", "envs", "errors"),
    "observers": ("observers", "runs", "config", "errors"),
    "training": ("training", *HEART, "agent", "config", "observers", "runs", "envs", "runtime", "errors"),
    "reports": ("reports", "runs", "errors"),
    "api": ("training", *HEART, "agent", "config", "overrides", "observers", "runs", "envs", "errors"),
    "exports": ("exports", "agent", "pieces", "runs", "envs", "errors"),
    "experiments": (
        *("experiments", "api", "training", *HEART, "agent", "config", "overrides", "observers", "runs", "envs"),
        *("imports", "reports", "runtime", "errors"),
    ),
}
TOP = {"__init__", "__main__", "cli", "commands"}
# Functions that open a door upwards, each for a reason given where it stands: (file, what it imports).
DOORS = {("runs/reader.py", target) for target in ("agent", "config", "envs", "training")}
WITHOUT_JAX = ("envs", "runs", "reports", "errors", "runtime")
PURE = ("pieces", "recipes", "learner")


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


def part_of(path):
    return path.relative_to(ROOT).with_suffix("").parts[0]


def ours(path):
    return {name.split(".")[1] for name in imported(path, type_only=False) if name.startswith("pacer.")}


FILES = sorted(ROOT.rglob("*.py"))
IDS = [str(path.relative_to(ROOT)) for path in FILES]


def test_every_part_has_its_rule():
    assert {part_of(path) for path in FILES} - TOP == set(ALLOWED)


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_imports_point_one_way(path):
    part, name = part_of(path), str(path.relative_to(ROOT))
    if part not in TOP:
        assert ours(path) <= {*ALLOWED[part], *(target for file, target in DOORS if file == name)}


@pytest.mark.parametrize("path", FILES, ids=IDS)
def test_pieces_know_no_environments_and_environments_no_jax(path):
    roots = {name.split(".")[0] for name in imported(path, type_only=False)}
    if part_of(path) in PURE:
        assert not roots & {"gymnasium", "mujoco", "rich", "tyro", "safetensors", "json", "os", "time"}
    if part_of(path) in WITHOUT_JAX:
        assert not roots & {"jax", "jaxlib", "optax"}
    assert "pickle" not in roots


def test_the_player_of_exported_policies_stands_alone():
    assert set(imported(ROOT / "exports" / "play.py", type_only=False)) == {"json", "sys", "pathlib", "typing", "numpy"}


@pytest.mark.parametrize("part", ["envs", "runs", "reports"])
def test_reading_files_and_making_environments_never_loads_jax(part):
    modules = [
        ".".join(["pacer", *path.relative_to(ROOT).with_suffix("").parts]) for path in FILES if part_of(path) == part
    ]
    code = f"import sys, {', '.join(m.removesuffix('.__init__') for m in modules)}; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
