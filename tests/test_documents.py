"""Every training command that the README and the documents show is one that the command line takes."""

import re
import shlex
from pathlib import Path

import pytest

from pacer.commands.train import parse
from pacer.config import DEFAULT_RECIPE

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = sorted({line for page in PAGES for line in re.findall(r"^pacer train .*$", page.read_text("utf-8"), re.M)})


@pytest.mark.parametrize("line", COMMANDS)
def test_a_shown_command_is_taken(line):
    words = shlex.split(line, comments=True)[2:]
    name, words = (DEFAULT_RECIPE, words) if words[0].startswith("-") else (words[0], words[1:])
    config, _ = parse([name, *words])
    assert config.label.startswith(name)
    assert config.environment == words[words.index("--env") + 1]


def test_there_are_commands_to_try():
    assert len(COMMANDS) > 10
