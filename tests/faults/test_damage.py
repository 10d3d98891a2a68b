"""Random damage to a run that was stopped: it ends with the bytes of an undisturbed one, or says that it cannot."""

import shutil

import pytest

from pacer.errors import PacerError
from pacer.observers import Warned
from pacer.runs.files import load_json
from tests.faults import damage
from tests.tiny_runs import results, stop_at, told, train

pytestmark = [pytest.mark.xdist_group("training"), pytest.mark.faults]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stopped") / "run"
    stop_at(folder, 130)
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    train(folder)
    return results(folder)


@pytest.mark.parametrize("seed", range(60))
def test_damage_never_changes_a_result_in_silence(stopped, undisturbed, tmp_path, seed, ledger):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    what, warnings = damage.attack(tmp_path, seed), []
    try:
        train(tmp_path, observers=[told(Warned, warnings)])
    except PacerError as error:
        if "is not what was written" not in str(error):
            raise
        ledger("damaged files", "refused")
        return
    if load_json(tmp_path / "run.json")["bit_exact"]:
        assert results(tmp_path) == undisturbed, what
        ledger("damaged files", "same bytes")
    else:
        assert any(".csv" in w.message for w in warnings), what
        ledger("damaged files", "log put aside, said")
