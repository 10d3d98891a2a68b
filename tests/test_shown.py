"""Every command and every Python block of the documents runs, page by page, with budgets that are tiny.

Trainings are so short that nothing is compiled. Experiments are planned and not run: their own tests do that.
"""

import re
import shlex
import shutil
import subprocess
import sys
import types
from importlib import import_module, invalidate_caches
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("shown")]
ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(python)?\n(.*?)^```", re.M | re.S)
BUDGETS = {
    "train": ["--steps", "50", "--schedule.evaluation-episodes", "1", "--quiet"],
    "evaluate": ["--episodes", "1"],
    "show": ["--episodes", "1", "--samples", "50", "--states", "1"],
    "record": ["--longest", "5"],
}
OURS = ("--steps", "--schedule.evaluate-every", "--episodes")  # and the number after them
STANDS_FOR = {"RUN": "runs/Pendulum-v1/pacer/seed0", "/data/runs": "elsewhere"}


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    """A folder with the files and the runs that pages speak of."""
    folder = tmp_path_factory.mktemp("workshop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        patch.syspath_prepend(str(folder / "pendulum"))  # where an exported policy has its player
        (folder / "docs").symlink_to(ROOT / "docs")
        (folder / "states.csv").write_text("1.0,0.0,0.0\n0.0,1.0,0.0\n", "utf-8")
        shutil.copy(ROOT / "examples" / "own_environment.py", folder)
        for file, page, text in (
            ("my_pieces.py", "extending", "# my_pieces.py"),
            ("my_sweep.py", "experiments", "EXPERIMENT"),
        ):
            shown = FENCE.findall((ROOT / "docs" / f"{page}.md").read_text("utf-8"))
            (folder / file).write_text(next(block for kind, block in shown if kind and text in block), "utf-8")
        for recipe, task in (
            ("pacer", "Pendulum-v1"),
            ("sac", "Pendulum-v1"),
            ("td3", "Pendulum-v1"),
            ("pacer", "HalfCheetah-v4"),
            ("pacer-m-adaptive", "Hopper-v4"),
        ):
            command(f"pacer train {recipe} --env {task}")
        run = import_module("pacer").Run("runs/Pendulum-v1/pacer/seed0")
        assert run.status == "finished"
        command("pacer export runs/Pendulum-v1/sac/seed0/best --output pendulum --onnx")
        invalidate_caches()  # the folder was not there when Python first looked
        command("pacer train my_pieces.py:MY_RECIPE --env Pendulum-v1 --name my-recipe")
        for name in ("before", "after"):
            shutil.copytree("runs/Pendulum-v1/sac", f"{name}/runs/Pendulum-v1/sac")
        yield folder


def command(line):
    _, name, *words = [STANDS_FOR.get(word, word) for word in shlex.split(line, comments=True)]
    if "&&" in words:  # what follows is another program's
        words = words[: words.index("&&")]
    for option in OURS if name != "bench" else ():
        if option in words:
            at = words.index(option)
            del words[at : at + 2]
    words = [word for word in words if word != "--watch"]
    words += BUDGETS.get(name, [])
    if "my_pieces" in line:
        alone("-m", "pacer", name, *words)
    else:
        import_module(f"pacer.commands.{name}").main(words)


def alone(*words):
    """In a process of its own, since pieces are known to the one that defined them for ever."""
    subprocess.run([sys.executable, *words], check=True, timeout=300)


def python(block, names):
    block = re.sub(r"\bepisodes=\d+", "episodes=1", block)
    if "pacer.train(" in block:
        block = re.sub(r"\bsteps=[\d_]+", 'steps=50, quiet=True, overrides={"schedule.evaluation_episodes": 1}', block)
    if "my_pieces" in block:
        alone("-c", block)
    else:
        exec(compile(block, "<shown>", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_runs(page, workshop, monkeypatch):
    planned = []
    for run in ("_run_all", "_foretell", "_run_one"):
        monkeypatch.setattr(f"pacer.commands.bench.{run}", lambda *given: planned.append(given))
    names = types.ModuleType("shown")
    monkeypatch.setitem(sys.modules, "shown", names)
    text = page.read_text("utf-8")
    for kind, block in FENCE.findall(text):
        if kind:
            python(block, names.__dict__)
        for line in re.findall(r"^ *(pacer [a-z].*)$", "" if kind else block, re.M):
            command(line)
    benches = re.findall(r"^ *pacer bench +[^# \n]", text, re.M)
    assert len(planned) == len(benches)
