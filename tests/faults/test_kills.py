"""Runs that are killed at any moment, over and over: none is lost, and all end with the bytes of an undisturbed one."""

import signal

import numpy as np
import pytest

from tests.faults.ordeal import Ordeal

pytestmark = pytest.mark.faults
RECIPES = ("pacer-m-adaptive", "sac", "td3")
ENVIRONMENTS = ("Pendulum-v1", "Hopper-v4")
MOMENTS, WRITES = 22, 12  # kills of each recipe in each environment


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_run_that_is_killed_at_random_moments_ends_with_the_same_bytes(
    nursery, tmp_path, ledger, recipe, environment
):
    rng = np.random.default_rng([len(recipe), len(environment)])
    reached = []
    with Ordeal(nursery, tmp_path, environment, recipe, ledger) as ordeal:
        while len(reached) < MOMENTS:
            # While it starts, and at any moment of the next quarter of it.
            late = rng.random() < 0.8
            outcome = ordeal.injure(kill=rng.uniform(0, ordeal.seconds / 4 if late else 2.0), begun=bool(late))
            if outcome["code"] == -signal.SIGKILL:
                reached.append(checkpoint(ordeal.path))
                ordeal.note(f"killed at a random moment: {recipe}, {environment}", "same bytes")
            else:
                assert outcome["code"] == 0, outcome
        ordeal.heal()
    assert len(set(reached)) > 5  # kills at different places, or they would prove little


def checkpoint(folder):
    return max((int(path.name) for path in folder.glob("checkpoint/[0-9]*")), default=0)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_run_that_is_killed_in_the_midst_of_writing_ends_with_the_same_bytes(
    shimmed, tmp_path, ledger, recipe, environment
):
    """Before any call that opens, writes, syncs, renames, cuts or removes a file; or with half of a write done."""
    rng = np.random.default_rng([len(recipe), len(environment)])
    kills = 0
    with Ordeal(shimmed, tmp_path, environment, recipe, ledger) as ordeal:
        while kills < WRITES:
            how, where = ("kill", "before") if kills % 3 else ("torn", "in")
            outcome = ordeal.injure(fault={"call": int(rng.integers(1, 150)), "how": how})
            if outcome["code"] == -signal.SIGKILL:
                kills += 1
                ordeal.note(f"killed {where} a write: {recipe}, {environment}", "same bytes")
            else:
                assert outcome["code"] == 0, outcome
        ordeal.heal()
