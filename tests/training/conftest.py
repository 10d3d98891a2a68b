"""What tests of whole runs compare with."""

import pytest

from tests.tiny_runs import results, train


@pytest.fixture(scope="session")
def unbroken(tmp_path_factory):
    """What a run leaves that nothing disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    train(folder)
    return results(folder)
