"""The folder of an exported policy: it plays without JAX, says what it is, and is loaded again."""

import importlib.util
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import pacer
from pacer.commands.export import main
from pacer.errors import PacerError
from pacer.exports import folder as exporting
from pacer.exports.card import card_text
from pacer.exports.evaluations import evaluation_arrays
from pacer.exports.folder import export, probes
from pacer.runs.reader import Run
from tests.tiny_runs import STEPS
from tests.worlds import HIGH, LOW

pytestmark = pytest.mark.xdist_group("training")


@pytest.fixture(scope="module")
def run(tiny_run, tmp_path_factory):
    return shutil.copytree(tiny_run, tmp_path_factory.mktemp("exported") / "run")


@pytest.fixture(scope="module")
def exported(run, tmp_path_factory):
    """An export that was moved elsewhere, as a hub's copy is."""
    made = export(run, card=True, licence="mit")
    assert made.path == run / "export"
    assert 0 <= made.numpy < 1e-5
    assert made.onnx is None
    return shutil.copytree(made.path, tmp_path_factory.mktemp("hub") / "copy")


def player_of(folder):
    """The player that is in the folder, not ours."""
    spec = importlib.util.spec_from_file_location("exported_play", folder / "play.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Policy()


def test_the_player_plays_like_the_agent(run, exported):
    agent, player = pacer.load(run), player_of(exported)
    obs, noise = probes(agent)
    greedy, state = player.predict(obs, state="kept", deterministic=True)
    np.testing.assert_allclose(greedy, agent.predict(obs, deterministic=True)[0], rtol=0, atol=1e-5)
    assert state == "kept"
    one, _ = player.predict(list(obs[0]), deterministic=True)
    np.testing.assert_allclose(one, greedy[0], atol=1e-6)
    expected = LOW + (np.asarray(agent.policy.push(obs, noise)) + 1) / 2 * (HIGH - LOW)
    np.testing.assert_allclose(player.sampled(obs, noise), expected, rtol=0, atol=1e-5)
    drawn = player.predict(np.tile(obs[:1], (500, 1)))[0]
    assert drawn.shape == (500, 2)
    assert drawn.std(0).min() > 1e-4
    assert not np.array_equal(player.predict(obs)[0], player.predict(obs)[0])
    with pytest.raises(ValueError, match="expected 3 numbers a row"):
        player.predict(obs[:, :2])
    with pytest.raises(ValueError, match="expected finite numbers"):
        player.predict([np.nan, 0.0, 0.0], deterministic=True)


def test_the_player_needs_numpy_alone(exported):
    blocked = "; ".join(f"sys.modules[{name!r}] = None" for name in ("jax", "pacer", "safetensors", "onnx", "scipy"))
    code = f"import sys; {blocked}; from play import Policy; print(*Policy().greedy([0.1, 0.2, 0.3]))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=exported, capture_output=True, text=True, check=True)
    said = subprocess.run(
        [sys.executable, "play.py", "0.1", "0.2", "0.3"], cwd=exported, capture_output=True, text=True, check=True
    )
    assert ran.stdout == said.stdout
    np.testing.assert_allclose(
        [float(word) for word in ran.stdout.split()], player_of(exported).greedy([0.1, 0.2, 0.3])
    )


def test_the_folder_says_what_it_is(run, exported):
    about = json.loads((exported / "policy.json").read_text())
    assert about["environment"] == "Drift-v0"
    assert about["recipe"] == "pacer-m-adaptive"
    assert (about["steps"], about["seed"], about["licence"]) == (STEPS, 0, "mit")
    assert about["wrappers"] == []
    assert (about["low"], about["high"]) == (LOW.tolist(), HIGH.tolist())
    assert about["returns"]["episodes"] == 2
    card = (exported / "README.md").read_text()
    head, text = card.removeprefix("---\n").split("\n---\n")
    assert 'license: "mit"' in head
    assert f"{about['returns']['mean']:.2f} +/- {about['returns']['deviation']:.2f}" in head
    assert "| environment | Drift-v0 |" in text
    yaml = pytest.importorskip("yaml")
    read = yaml.safe_load(head)
    assert read["model-index"][0]["results"][0]["metrics"][0]["type"] == "mean_reward"


def test_a_copy_is_loaded_again(run, exported):
    obs, _ = probes(pacer.load(run))
    again, first = (pacer.load(folder).predict(obs, deterministic=True)[0] for folder in (exported, run))
    np.testing.assert_array_equal(again, first)


def test_evaluations_are_as_stable_baselines_keeps_them(run, exported):
    with np.load(exported / "evaluations.npz") as file:
        arrays = dict(file)
    log = Run(run).evaluations()
    assert arrays.keys() == {"timesteps", "results", "ep_lengths"}
    assert arrays["timesteps"].tolist() == [50, 100, 150, 200]
    assert arrays["results"].shape == arrays["ep_lengths"].shape == (4, 2)
    greedy = log["mode"] == "greedy"
    np.testing.assert_array_equal(arrays["results"].ravel(), log["return"][greedy])
    np.testing.assert_array_equal(arrays["ep_lengths"].ravel(), log["length"][greedy])
    assert evaluation_arrays({name: column[:0] for name, column in log.items()}) == {}


def test_an_agent_folder_is_exported_with_what_is_known(run, exported, tmp_path):
    export(run / "snapshots" / "100", tmp_path / "early")
    about = json.loads((tmp_path / "early" / "policy.json").read_text())
    assert about["steps"] == 100
    lone = shutil.copytree(exported, tmp_path / "lone")
    made = export(lone, tmp_path / "again", card=True)
    assert "environment" not in json.loads((made.path / "policy.json").read_text())


def test_the_command_writes_onnx_files(run, tmp_path, capsys):
    onnx = pytest.importorskip("onnx", reason="needs the extra pacer-rl[export]")
    main([str(run), "--output", str(tmp_path / "out"), "--onnx"])
    said = capsys.readouterr().out
    assert "NumPy: within" in said
    assert "ONNX: within" in said or "no onnxruntime" in said
    model = onnx.load(tmp_path / "out" / "sampled.onnx")
    assert [value.name for value in model.graph.input] == ["observation", "noise"]
    assert {entry.key: json.loads(entry.value) for entry in model.metadata_props}["environment"] == "Drift-v0"
    assert [value.name for value in onnx.load(tmp_path / "out" / "greedy.onnx").graph.input] == ["observation"]


def test_nothing_is_left_of_an_export_before(run, tmp_path):
    """Which may have been of another agent: what is not asked for now is gone."""
    made = export(run, tmp_path / "out", card=True).path
    (made / "greedy.onnx").write_text("of another agent")
    (made / "mine.txt").write_text("mine")
    export(run, made)
    left = {path.name for path in made.iterdir()}
    assert left >= {"mine.txt", "policy.json", "evaluations.npz"}
    assert not left & {"greedy.onnx", "README.md"}


def test_a_card_says_in_which_wrappers_returns_were_earned(exported):
    about = json.loads((exported / "policy.json").read_text())
    text = card_text({**about, "wrappers": ["gymnasium.wrappers:NormalizeReward"]}, "out", onnx=False)
    assert '"name": "Drift-v0 in NormalizeReward"' in text
    assert "| wrappers | ['gymnasium.wrappers:NormalizeReward'] |" in text


def test_what_cannot_be_exported_is_said(run, tmp_path, monkeypatch):
    with pytest.raises(PacerError, match="not a run folder"):
        export(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(PacerError, match="is not empty and holds no export"):
        export(run, tmp_path)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(PacerError, match=r"an ONNX file needs onnx: pip install 'pacer-rl\[export\]'"):
        export(run, tmp_path / "new", onnx=True)


def test_a_policy_that_plays_otherwise_is_refused(run, tmp_path, monkeypatch):
    trace = exporting.trace
    monkeypatch.setattr(exporting, "trace", lambda function, **sizes: trace(lambda *x: 0.99 * function(*x), **sizes))
    with pytest.raises(PacerError, match="differs from the agent by"):
        export(run, tmp_path / "new")
