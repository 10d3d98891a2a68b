"""The site of the documents: built without a warning, every formula drawn, every public name in the reference."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import pacer

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_site_is_built_with_formulas_and_reference(tmp_path):
    pytest.importorskip("mkdocstrings_handlers.python")
    pytest.importorskip("material")
    pytest.importorskip("latex2mathml")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    shown = {page.stem: page.read_text("utf-8") for page in tmp_path.glob("*.html")}
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} <= set(shown)
    for name, page in shown.items():
        formulas = re.findall(r"<math.*?</math>", page, re.S)
        assert not any("\\" in formula for formula in formulas), name  # a command that was not understood
        assert len(formulas) >= source(name).count("```math"), name
    assert all(f'.{name}"' in shown["api"] for name in pacer.__all__ if name != "RECIPES")
    assert '<script src="http' not in shown["index"]  # it can be read without a network


def source(name):
    page = ROOT / "docs" / f"{name}.md"
    return page.read_text("utf-8") if page.exists() else ""
