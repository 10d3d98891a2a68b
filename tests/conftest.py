"""How JAX runs in the tests; set before anything imports it."""

import os

import pytest

from pacer.runtime import keep_compiled_blocks, use_one_thread
from pacer.training.stopping import Stopped

# Tests compile far more than they compute: code that is quick to compile beats code that is quick to run.
os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
use_one_thread()
keep_compiled_blocks()


def pytest_exception_interact(node, call):
    """A signal from outside, as of `timeout`, is for all tests, not only for the run that happened to answer it."""
    alone = not hasattr(node.config, "workerinput")  # where there are several, the process that leads them got it too
    if alone and isinstance(stop := call.excinfo.value, Stopped) and stop.exit_code:
        pytest.exit(f"{stop}, which no test had sent", stop.exit_code)


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory):
    """A finished run that nothing disturbed; who would change it takes a copy."""
    from tests.tiny_runs import train  # which imports JAX

    folder = tmp_path_factory.mktemp("finished") / "run"
    train(folder)
    return folder
