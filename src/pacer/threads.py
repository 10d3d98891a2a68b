"""One thread per run: as fast as two at these sizes, and the only mode in which XLA repeats its bits.

To be called before JAX is imported, so this module imports nothing heavy.
"""

import os
import sys

_VARIABLES = {"NPROC": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_FLAG = "--xla_cpu_multi_thread_eigen"


def use_one_thread() -> bool:
    """Ask XLA and BLAS for one thread each; False when JAX is already there and did not start that way."""
    if not _asked() and "jax" not in sys.modules:
        os.environ.update(_VARIABLES)
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_FLAG}=false".strip()
    return _asked()


def _asked() -> bool:
    return os.environ.get("NPROC") == "1" and f"{_FLAG}=false" in os.environ.get("XLA_FLAGS", "")
