"""What tests of whole runs compare with."""

import pytest

from pacer.training import loop
from tests.tiny_runs import results


@pytest.fixture(scope="session")
def unbroken(tiny_run):
    """What a run leaves that nothing disturbed."""
    return results(tiny_run)


@pytest.fixture
def untried(monkeypatch):
    """Worlds that are not stepped before the run, for tests that count their steps."""
    monkeypatch.setattr(loop, "unrepeated", lambda world, seed: None)
