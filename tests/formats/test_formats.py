"""Files of past formats mean what they meant, and a format does not change without a number."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from pacer.agent import Agent
from pacer.errors import PacerError
from pacer.runs import formats
from pacer.runs.files import load_json
from pacer.runs.formats import FORMAT, OLDEST, upgraded
from tests.formats.store import HERE, classes, numbers

pytestmark = pytest.mark.xdist_group("agent")
STORED = sorted((path.parent for path in HERE.glob("*/*/agent.json")), key=lambda folder: int(folder.parent.name))


def test_every_format_that_is_read_is_stored():
    assert {int(folder.parent.name) for folder in STORED} == set(range(OLDEST, FORMAT + 1))


@pytest.mark.parametrize("folder", STORED, ids=lambda folder: f"{folder.parent.name} {folder.name}")
def test_a_stored_agent_still_gives_its_numbers(folder):
    found, stored = numbers(Agent.load(folder)), json.loads((folder / "numbers.json").read_text())
    assert found.keys() == stored.keys()
    for name, values in stored.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-4, atol=1e-5, err_msg=name)


def test_a_field_that_is_added_or_removed_moves_the_format():
    """CONTRIBUTING.md tells what to do: FORMAT, FIELDS in runs/formats.py, then tests/formats/store.py."""
    assert json.loads((HERE / "fields.json").read_text()) == {"format": FORMAT, "classes": classes()}


@pytest.fixture
def brought(monkeypatch):
    """As if the gate of the quantile critic had come with the current format, and had been a sigmoid before."""
    monkeypatch.setitem(formats.FIELDS, FORMAT, {"Quantile": {"gate": "sigmoid"}})


def test_a_missing_field_takes_the_value_that_its_absence_meant(brought, tmp_path):
    def without_gate(format):
        content = json.loads((STORED[-1].parent / "pacer-m-adaptive" / "agent.json").read_text())
        del content["recipe"]["critic"]["gate"]
        (tmp_path / "agent.json").write_text(json.dumps({**content, "format": format}))
        return load_json(tmp_path / "agent.json")

    assert without_gate(FORMAT - 1)["recipe"]["critic"]["gate"] == "sigmoid"
    assert "gate" not in without_gate(FORMAT)["recipe"]["critic"]
    shutil.copy(STORED[-1].parent / "pacer-m-adaptive" / "agent.safetensors", tmp_path)
    with pytest.raises(PacerError, match=r"recipe\.critic \(Quantile\) lacks gate: was it written by another version"):
        Agent.load(tmp_path)


def test_what_is_there_is_not_changed_and_other_values_are_left_alone(brought):
    given = {"critic": {"piece": "Quantile", "gate": "linear"}, "options": [{"gate": 1}, {"piece": ["Quantile"]}]}
    assert upgraded(given, FORMAT - 1) == given


def test_an_array_that_came_later_is_filled(monkeypatch, tmp_path):
    monkeypatch.setitem(formats.ARRAYS, FORMAT, {**formats.ARRAYS.get(FORMAT, {}), "low": -2.0})
    from safetensors.numpy import load_file, save_file

    folder = Path(shutil.copytree(STORED[0], tmp_path / "agent"))
    arrays = load_file(folder / "agent.safetensors")
    del arrays["low"]
    save_file(arrays, folder / "agent.safetensors")
    assert Agent.load(folder).low.tolist() == [-2.0, -2.0]


def test_fields_that_went_are_left_out_of_files_that_had_them():
    pairs = {"piece": "PolicyBackup", "penalty_in_return": True, "penalty_actions": 2}
    assert upgraded(pairs, 6) == {"piece": "PolicyBackup", "penalty_in_return": False}
    assert upgraded({**pairs, "penalty_actions": 1}, 6) == {"piece": "PolicyBackup", "penalty_in_return": True}
    assert upgraded(pairs, 7) == pairs
    assert upgraded([{"piece": "Balanced", "spread": 0.4, "wider": 0.3}], 6) == [{"piece": "Balanced", "spread": 0.4}]
