"""How JAX runs: one thread, and compiled blocks kept for the next run; and what else decides a run's bits.

One thread per run is as fast as two at these sizes, and the only mode in which XLA repeats its bits.
To be called before JAX is imported, so this module imports nothing heavy.
"""

import ctypes
import hashlib
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES = ("pacer-rl", "jax", "jaxlib", "optax", "numpy", "gymnasium", "mujoco")
DECISIVE = ("pieces", "training", "envs", "learner", "agent")  # parts of the package, be they folders or files
_VARIABLES = {"NPROC": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_FLAG = "--xla_cpu_multi_thread_eigen"


def use_one_thread() -> bool:
    """Ask XLA and BLAS for one thread each; False when JAX is already there and did not start that way."""
    if not has_one_thread() and "jax" not in sys.modules:
        os.environ.update(_VARIABLES)
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_FLAG}=false".strip()
        _narrow_numpy()
    return has_one_thread()


def has_one_thread() -> bool:
    """Whether one thread was asked for, by `use_one_thread` here or in the process that started this one."""
    return os.environ.get("NPROC") == "1" and f"{_FLAG}=false" in os.environ.get("XLA_FLAGS", "")


def hush_compiler() -> None:
    """XLA prints a banner about every compilation of over two minutes, and real errors are exceptions anyway."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def keep_compiled_blocks() -> None:
    """Compile a block once per machine: the user's cache folder keeps it, unless JAX was told of another place."""
    if not (folder := cache_folder()):
        return
    if jax := sys.modules.get("jax"):  # which has read its variables
        if jax.config.jax_compilation_cache_dir is None:
            jax.config.update("jax_compilation_cache_dir", str(folder / processor()))
    else:
        os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(folder / processor()))


def cache_folder() -> Path | None:
    """Where this user's machine keeps what can be made again; nowhere for a user without a home.

    A folder that all can write to would not do: what is compiled is run.
    """
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return Path(chosen) / "pacer"
    try:
        return Path.home() / ".cache" / "pacer"
    except RuntimeError:
        return None


def facts(backend: str, together: int = 1) -> dict[str, Any]:
    """What the bits of a run depend on beside its configuration: JAX's backend, how many runs are compiled together."""
    return {
        "machine": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "backend": backend,
        "runs_together": together,
        "xla_flags": os.environ.get("XLA_FLAGS", ""),
        "source": source(),
        "python": platform.python_version(),
        "versions": {package: version(package) for package in PACKAGES},
    }


def source() -> str:
    """A digest of the code that decides what a run learns."""
    folder = Path(__file__).parent
    files = sorted(path for part in DECISIVE for path in (folder / part).rglob("*.py"))
    files += [folder / f"{part}.py" for part in DECISIVE if (folder / f"{part}.py").exists()]
    content = b"".join(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() for path in files)
    return hashlib.sha256(content).hexdigest()[:16]


def _narrow_numpy() -> None:
    """OpenBLAS reads the variables when it is loaded: where NumPy came first, it must be told."""
    if core := sys.modules.get("numpy._core._multiarray_umath"):
        library = ctypes.CDLL(core.__file__)
        for prefix, suffix in (("scipy_", "64_"), ("", "64_"), ("", "")):
            if tell := getattr(library, f"{prefix}openblas_set_num_threads{suffix}", None):
                tell(1)


def processor() -> str:
    """A name for this kind of processor: compiled code of another kind could not run here, or not to the same bits."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        traits = sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
    except OSError:
        traits = [platform.processor()]
    return hashlib.sha256("\n".join([platform.machine(), *traits]).encode()).hexdigest()[:16]
