"""How JAX runs: one thread, and compiled blocks kept for the next run.

One thread per run is as fast as two at these sizes, and the only mode in which XLA repeats its bits.
To be called before JAX is imported, so this module imports nothing heavy.
"""

import hashlib
import os
import platform
import sys
from pathlib import Path

_VARIABLES = {"NPROC": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_FLAG = "--xla_cpu_multi_thread_eigen"


def use_one_thread() -> bool:
    """Ask XLA and BLAS for one thread each; False when JAX is already there and did not start that way."""
    if not _asked() and "jax" not in sys.modules:
        os.environ.update(_VARIABLES)
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_FLAG}=false".strip()
    return _asked()


def keep_compiled_blocks() -> None:
    """Compile a block once per machine: the user's cache folder keeps it, unless JAX was told of another place."""
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(home / "pacer" / _processor()))


def _asked() -> bool:
    return os.environ.get("NPROC") == "1" and f"{_FLAG}=false" in os.environ.get("XLA_FLAGS", "")


def _processor() -> str:
    """A name for this kind of processor: compiled code of another kind could not run here."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        facts = sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
    except OSError:
        facts = [platform.processor()]
    return hashlib.sha256("\n".join([platform.machine(), *facts]).encode()).hexdigest()[:16]
