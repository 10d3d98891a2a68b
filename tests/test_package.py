"""The package itself: its public names, its version, its thread settings, and that importing it changes nothing."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

import pacer


def run(code):
    clean = {k: v for k, v in os.environ.items() if k not in ("XLA_FLAGS", "NPROC") and not k.endswith("NUM_THREADS")}
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=clean,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_dir_lists_the_public_names_and_each_is_there():
    assert set(dir(pacer)) == {*pacer.__all__, "__version__"}
    assert all(getattr(pacer, name) is not None for name in dir(pacer))
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        _ = pacer.trian


def test_the_version_is_that_of_the_installation():
    assert pacer.__version__ == version("pacer-rl")


def test_touching_a_name_changes_no_variable():
    code = "import os; before = dict(os.environ); import pacer; pacer.train; pacer.Recipe; assert os.environ == before"
    run(code)


def test_one_thread_is_asked_for_by_name_and_in_time():
    assert run("import pacer; print(pacer.use_one_thread()); import jax; print(pacer.use_one_thread())") == "True\nTrue"
    assert run("import jax, pacer; print(pacer.use_one_thread())") == "False"


@pytest.mark.skipif(sys.platform != "linux", reason="where NumPy brings OpenBLAS")
def test_numpys_threads_are_narrowed_though_numpy_came_first():
    code = """
import ctypes, pacer
from numpy._core import _multiarray_umath
pacer.use_one_thread()
print(ctypes.CDLL(_multiarray_umath.__file__).scipy_openblas_get_num_threads64_())
"""
    assert run(code) == "1"


def test_compiled_blocks_are_kept_for_python_too(tmp_path, monkeypatch):
    import jax

    from pacer.runtime import keep_compiled_blocks

    before = jax.config.jax_compilation_cache_dir
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    try:
        jax.config.update("jax_compilation_cache_dir", None)
        keep_compiled_blocks()
        assert jax.config.jax_compilation_cache_dir.startswith(str(tmp_path / "pacer"))
        jax.config.update("jax_compilation_cache_dir", "elsewhere")
        keep_compiled_blocks()
        assert jax.config.jax_compilation_cache_dir == "elsewhere"
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


def test_importing_runs_no_hooks():
    code = "import sys; before = list(sys.meta_path); import pacer; assert sys.meta_path == before"
    run(code)


def test_python_m_pacer_is_the_command_line():
    done = subprocess.run([sys.executable, "-m", "pacer", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: pacer COMMAND")
