"""Disks that fail or are full: one sentence that names the file, and a run that goes on when they are mended."""

import errno
import os
import re
import shutil
import subprocess

import numpy as np
import pytest

from tests.faults.ordeal import Ordeal

pytestmark = pytest.mark.faults
ERRORS = {"EIO": "Input/output error", "ENOSPC": "No space left on device", "EROFS": "Read-only file system"}


@pytest.mark.parametrize("name", ERRORS)
@pytest.mark.parametrize("how", ["once", "on"])
def test_an_error_of_the_disk_is_told_with_its_file_and_the_run_goes_on_after_it(shimmed, tmp_path, ledger, name, how):
    rng = np.random.default_rng(len(name))
    told = 0
    with Ordeal(shimmed, tmp_path, "tests.worlds:Drift-v0", "sac", ledger) as ordeal:
        while told < 8:
            fault = {"call": int(rng.integers(1, 120)), "how": how, "error": getattr(errno, name)}
            path = ordeal.path
            outcome = ordeal.injure(fault=fault)
            if outcome["code"] == 0:
                ledger(f"{name}, {'from then on' if how == 'on' else 'once'}", "did not matter, same bytes")
                continue
            told += 1
            assert outcome["code"] == 1, outcome
            assert ERRORS[name] in outcome["said"]
            assert str(path) in outcome["said"], outcome
            assert re.search(r"NotWritten|OSError|PacerError", outcome["said"].partition(":")[0]), outcome
            ordeal.note(f"{name}, {'from then on' if how == 'on' else 'once'}", "told with the file, then same bytes")
        ordeal.heal()


@pytest.fixture
def small_disk(tmp_path):
    """A disk, and a way to leave so many bytes of it free."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], check=False)
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")

    def leave(room):
        ballast = place / "ballast"
        ballast.unlink(missing_ok=True)
        if room is not None:
            with ballast.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(place).free - room)

    yield place, leave
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_told_with_what_is_needed_and_the_run_goes_on_when_there_is_room(nursery, small_disk, ledger):
    place, leave = small_disk
    with Ordeal(nursery, place, "tests.worlds:Drift-v0", "sac", ledger) as ordeal:
        for room in range(4_096, 180_000, 16_384):  # from next to nothing to nearly enough
            leave(room)
            outcome = ordeal.injure()
            if outcome["code"] == 0:
                ledger("full disk", "room enough, same bytes")
                continue
            full = r"/\S+ cannot be written: No space left on device; it needs [\d,]+ bytes, and [\d,]+ are free"
            assert re.search(full, outcome["said"]), outcome
            ordeal.note("full disk", "told with the file and its need, then same bytes")
        leave(None)
        ordeal.heal()
