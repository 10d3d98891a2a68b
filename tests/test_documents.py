"""What the README and the documents show exists: commands, fields, pieces, modules, files."""

import ast
import re
import shlex
import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest

import pacer
from pacer import pieces
from pacer.commands.train import parse
from pacer.config import DEFAULT_RECIPE, Schedule
from pacer.imports import imported
from pacer.runs.codec import members

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in PAGES}
COMMANDS = sorted({line for text in TEXTS.values() for line in re.findall(r"^ *(pacer train .*)$", text, re.M)})
NEEDY = re.compile(r"--start-from|--import|\.py:")  # which need files that are not there
BLOCKS = [
    (page, block) for page, text in TEXTS.items() for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
]
SPANS = sorted(
    {span for text in TEXTS.values() for span in re.findall(r"`([^`]+)`", re.sub(r"(?s)```.*?```", "", text))}
)
RECIPE_FIELDS = "|".join(f.name for f in fields(pacer.Recipe))
DOTTED = sorted(
    {name for span in SPANS for name in re.findall(r"\b(?:recipe|schedule)\.[a-z][\w.-]*", span)}
    | {f"recipe.{span.split()[0]}" for span in SPANS if re.match(rf"({RECIPE_FIELDS})\.(?!py$)[a-z]", span)}
)


@pytest.mark.parametrize("line", [line for line in COMMANDS if not NEEDY.search(line)])
def test_a_shown_command_is_taken(line):
    words = shlex.split(line, comments=True)[2:]
    name, words = (DEFAULT_RECIPE, words) if words[0].startswith("-") else (words[0], words[1:])
    config, _ = parse([name, *words])
    assert config.label.startswith(name)
    assert config.environment == words[words.index("--env") + 1]


@pytest.mark.parametrize("name", DOTTED)
def test_a_shown_field_exists(name):
    start, *path = name.replace(".no-", ".").replace("-", "_").split(".")  # a switch that is turned off
    holders = [pacer.Recipe if start == "recipe" else Schedule]
    for field in path:
        hints = [get_type_hints(holder)[field] for holder in holders if field in {f.name for f in fields(holder)}]
        assert hints, f"{field} of {name}"
        holders = [piece for hint in hints if isinstance(hint, type) for piece in members(hint).values()]


@pytest.mark.parametrize("name", sorted({m[1] for span in SPANS if (m := re.match(r"([A-Z]\w+)\(", span))}))
def test_a_shown_piece_exists(name):
    assert hasattr(pieces, name)


@pytest.mark.parametrize("page, block", BLOCKS)
def test_python_that_is_shown_names_what_exists(page, block):
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("pacer"):
            assert all(hasattr(import_module(node.module), alias.name) for alias in node.names), page
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pacer":
            assert hasattr(pacer, node.attr), page


def test_pieces_that_are_shown_make_a_recipe():
    (block,) = [block for page, block in BLOCKS if page == "docs/extending.md" and "@dataclass" in block]
    code = f"import types; exec({block!r}, types.ModuleType('my_pieces').__dict__)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("page", PAGES, ids=list(TEXTS))
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8"))
    assert [target for target in targets if ":" not in target and not (page.parent / target).exists()] == []


def test_the_map_names_every_folder_and_file():
    (shown,) = re.findall(r"^```\nsrc/pacer/\n(.*?)^```", TEXTS["README.md"], re.M | re.S)
    package = Path(pacer.__file__).parent
    there = [path for folder in (package, package / "pieces") for path in folder.iterdir()]
    names = {f"{path.name}/" if path.is_dir() else path.name for path in there}
    names -= {"__init__.py", "__main__.py", "__pycache__/", "py.typed", "piece.py", "trees.py", "types.py"}
    assert {name for name in names if name not in shown} == set()


def test_there_is_something_to_try():
    assert len(COMMANDS) > 10
    assert len(DOTTED) > 5
    assert len(BLOCKS) > 3


RESULTS = imported(str(ROOT / "results" / "pages.py"))


@pytest.mark.parametrize("page", RESULTS.PAGES)
def test_the_tables_of_a_page_are_those_of_the_runs_that_are_kept(page):
    text = (ROOT / page).read_text("utf-8")
    assert RESULTS.MARKED.search(text)
    assert RESULTS.filled(text) == text


def test_every_table_of_runs_has_a_place():
    marked = [name for page in RESULTS.PAGES for _, name, _ in RESULTS.MARKED.findall((ROOT / page).read_text("utf-8"))]
    assert sorted(marked) == sorted(RESULTS.TABLES)
