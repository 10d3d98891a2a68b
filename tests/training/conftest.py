"""What tests of whole runs compare with."""

import pytest

from pacer.training import loop
from tests.tiny_runs import results, train


@pytest.fixture(scope="session")
def unbroken(tmp_path_factory):
    """What a run leaves that nothing disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    train(folder)
    return results(folder)


@pytest.fixture
def untried(monkeypatch):
    """Worlds that are not stepped before the run, for tests that count their steps."""
    monkeypatch.setattr(loop, "unrepeated", lambda world, seed: None)
