"""Wheel and sdist hold what the package needs, and the wheel works in an environment without the checkout."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import pacer

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel, made of the sdist, and the sdist."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def test_they_hold_every_file_of_the_package(built):
    wheel, sdist = built
    package = ROOT / "src"
    files = {str(p.relative_to(package)) for p in (package / "pacer").rglob("*") if p.is_file() and p.suffix != ".pyc"}
    assert files | {"pacer_launcher.py"} <= set(zipfile.ZipFile(wheel).namelist())
    root = sdist.name.removesuffix(".tar.gz")
    with tarfile.open(sdist) as archive:
        assert {f"{root}/src/{file}" for file in files} | {f"{root}/README.md", f"{root}/LICENSE"} <= set(
            archive.getnames()
        )


def test_the_wheel_works_in_an_environment_of_its_own(built, tmp_path):
    """Its dependencies are those of this environment, seen through a path: to install them anew takes minutes."""
    wheel, _ = built
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel)
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    there = Path(pytest.__file__).parents[1]
    (site / "zzz.pth").write_text(f"import sys; sys.path.append({str(there)!r})\n", "utf-8")  # after our own
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    where, version = run(python, "-c", "import pacer; print(pacer.__file__, pacer.__version__)", env=clean).split()
    assert Path(where).is_relative_to(site)
    assert version == pacer.__version__
    command = tmp_path / "venv" / "bin" / "pacer"
    assert "the default" in run(command, "list", env=clean, cwd=tmp_path)
    run(command, "train", "sac", "--env", "Pendulum-v1", "--steps", "50", env=clean, cwd=tmp_path)
    assert (tmp_path / "runs" / "Pendulum-v1" / "sac" / "seed0" / "DONE").exists()
