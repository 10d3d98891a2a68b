"""How JAX runs in the tests; set before anything imports it."""

import os

import pytest

from pacer.runtime import keep_compiled_blocks, use_one_thread

# Tests compile far more than they compute: code that is quick to compile beats code that is quick to run.
os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
use_one_thread()
keep_compiled_blocks()


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory):
    """A finished run that nothing disturbed; who would change it takes a copy."""
    from tests.tiny_runs import train  # which imports JAX

    folder = tmp_path_factory.mktemp("finished") / "run"
    train(folder)
    return folder
