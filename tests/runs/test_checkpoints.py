"""Checkpoints: which are kept, which can be used, and what is said of the others."""

import json
import os
import shutil

import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.runs.checkpoints import Extent, find, measure, read_manifest, superfluous
from pacer.runs.codec import encode
from pacer.runs.files import save_json
from pacer.runs.folder import RunFolder
from pacer.runs.formats import OLDEST, RESUMABLE
from tests.faults import damage
from tests.tiny_runs import configuration

FACTS = {"processor": "quick"}


def opened(path, every=50):
    config = configuration()
    return RunFolder(path, encode(config), config.steps, True, FACTS, every)


def write(folder, step, content="state"):
    """A checkpoint, with what a run has appended until then."""
    folder.append("progress.csv", [{"step": step, "loss": 0.5}])
    replay = folder.path / "replay"
    replay.mkdir(exist_ok=True)
    with (replay / "0-0.bin").open("ab") as file:
        file.write(bytes(range(step % 200, step % 200 + 40)))
    temporary = folder.new_checkpoint()
    (temporary / "state.safetensors").write_text(f"{content} {step}")
    folder.commit_checkpoint(temporary, step, {"0-0.bin": (replay / "0-0.bin").stat().st_size})


@pytest.fixture
def run(tmp_path):
    """A folder with two checkpoints, and rows after the second that no checkpoint counts."""
    folder = opened(tmp_path)
    folder.begin()
    for step in (50, 100):
        write(folder, step)
    folder.append("progress.csv", [{"step": 120, "loss": 1.0}])
    folder.close()
    (tmp_path / "agent").mkdir()
    return tmp_path


def test_the_newest_counts_and_the_rest_is_cut_off(run):
    folder = opened(run)
    found = find(run)
    assert (found.manifest.step, found.skipped, found.damaged_logs) == (100, [], [])
    assert folder.begin(found) == []
    assert (run / "progress.csv").read_text() == "step,loss\n50,0.5\n100,0.5\n"


def test_the_checksum_of_what_grew_is_that_of_the_whole(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content := np.random.default_rng(0).bytes(3_000_000))
    first = measure(path, 1_234_567)
    assert measure(path, 3_000_000, first) == measure(path, 3_000_000)
    assert measure(path, 4_000_000).size == len(content)
    assert first.checksum != measure(path, 1_234_566).checksum


@pytest.mark.parametrize("way", damage.WAYS)
@pytest.mark.parametrize("target", ["state", "manifest"])
def test_a_damaged_checkpoint_is_skipped_with_a_word_and_the_older_goes_on(run, way, target):
    rng = np.random.default_rng(0)
    damage.WAYS[way](damage.TARGETS[target](run, rng), rng)
    folder, found = opened(run), find(run)
    assert found.manifest.step == 50
    (warning,) = folder.begin(found)
    assert warning.startswith("checkpoint 100 cannot be used: ")
    assert warning.endswith("The run goes on from step 50")
    assert (run / "progress.csv").read_text() == "step,loss\n50,0.5\n"
    assert (run / "replay" / "0-0.bin").read_bytes() == bytes(range(50, 90))
    assert [p.name for p in folder.checkpoints()] == ["50"]


@pytest.mark.parametrize("place, step", [(45, 50), (5, None)])
def test_damage_in_the_replay_is_named_and_spoils_the_checkpoints_that_count_it(run, place, step):
    path = run / "replay" / "0-0.bin"
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    if step:
        assert find(run).manifest.step == step
        assert "0-0.bin is not what was written" in find(run).skipped[0]
    else:
        with pytest.raises(
            PacerError, match=r"cannot be resumed: checkpoint 100 .*bin is not.*; checkpoint 50 .*bin is not"
        ):
            find(run)


@pytest.mark.parametrize("way", damage.WAYS)
def test_a_log_that_is_not_what_was_written_is_put_aside_and_the_run_is_not_exact(run, way):
    path, rng = run / "progress.csv", np.random.default_rng(1)
    os.truncate(path, 20)  # within what both checkpoints count
    damage.WAYS[way](path, rng)
    folder, found = opened(run), find(run)
    assert (found.manifest.step, found.damaged_logs) == (100, ["progress.csv"])
    (warning,) = folder.begin(found)
    assert warning.startswith("progress.csv is not what the run wrote")
    assert json.loads((run / "run.json").read_text())["bit_exact"] is False
    assert (run / "progress.csv.damaged").exists() is (way != "remove")
    assert not (run / "progress.csv").exists()
    write(folder, 150)
    assert find(run).manifest.facts["bit_exact"] is False


def test_a_log_that_was_only_cut_back_to_the_older_checkpoint_costs_nothing_but_time(run):
    os.truncate(run / "progress.csv", find(run).manifest.grown["progress.csv"].size - 3)
    found = find(run)
    assert (found.manifest.step, found.damaged_logs) == (50, [])
    assert found.skipped == ["progress.csv is not what the run wrote until step 100"]


def test_a_renamed_checkpoint_is_recognised(run):
    damage.rename(run, None)
    with pytest.raises(PacerError, match="9999 is the checkpoint of step 100 under another name: rename or remove it"):
        find(run)


def test_clutter_is_no_checkpoint_and_what_is_ours_of_it_goes(run):
    damage.clutter(run, None)
    folder = opened(run)
    assert folder.begin(find(run)) == []
    assert [p.name for p in folder.checkpoints()] == ["100", "50"]
    assert list((run / "agent").iterdir()) == []
    assert (run / "checkpoint" / "notes").exists()


def test_without_a_good_one_the_run_is_refused_and_nothing_is_changed(run):
    damage.everything(run, np.random.default_rng(0))
    with pytest.raises(PacerError, match=r"cannot be resumed: checkpoint 100 .*; checkpoint 50 .*still there"):
        find(run)


@pytest.mark.parametrize("found", range(OLDEST, RESUMABLE))
def test_a_checkpoint_of_an_older_format_is_told_apart_from_damage(run, found):
    manifest = run / "checkpoint" / "100" / "manifest.json"
    manifest.write_text(json.dumps({"format": found, "files": {}, "logs": {}}))
    with pytest.raises(PacerError, match="written by an older version of pacer"):
        find(run)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "replay/../../x", "config.json"])
def test_a_manifest_names_no_file_elsewhere(run, name):
    """Its files are cut to size: the manifest may be a stranger's."""
    folder = run / "checkpoint" / "100"
    manifest = read_manifest(folder)._asdict() | {"grown": {name: Extent(1, 1)}}
    from pacer.runs.checkpoints import _seal

    content = json.loads(json.dumps(manifest))
    save_json(folder / "manifest.json", {**content, "seal": _seal(content)})
    assert find(run).manifest.step == 50


@pytest.mark.parametrize(
    "steps, dropped, at_the_end",
    [
        ([], [], []),
        ([50], [], []),
        ([30], [], []),
        ([50, 100], [], []),
        ([50, 100, 150], [50], [50]),
        ([50, 70], [], []),  # a stop at 70
        ([50, 70, 100], [70], [70]),  # as without the stop
        ([20, 30], [], [20]),  # better than none; an undisturbed run has none
        ([10, 20, 30], [10], [20, 10]),
    ],
)
def test_two_are_kept_and_at_the_end_those_of_an_undisturbed_run(steps, dropped, at_the_end):
    assert superfluous(steps, 50, strict=False) == dropped
    assert superfluous(steps, 50, strict=True) == at_the_end


def test_parts_of_the_replay_that_no_checkpoint_needs_are_dropped(tmp_path):
    folder = opened(tmp_path)
    folder.begin()
    (tmp_path / "replay").mkdir()
    for number, step in enumerate((50, 100, 150, 200)):
        (tmp_path / "replay" / f"0-{number}.bin").write_bytes(bytes(8))
        needed = {f"0-{n}.bin": 8 for n in range(max(0, number - 1), number + 1)}
        folder.commit_checkpoint(folder.new_checkpoint(), step, needed)
    assert sorted(p.name for p in (tmp_path / "replay").iterdir()) == ["0-1.bin", "0-2.bin", "0-3.bin"]
    shutil.rmtree(tmp_path / "checkpoint" / "200")
    folder.begin(find(tmp_path))
    assert sorted(p.name for p in (tmp_path / "replay").iterdir()) == ["0-1.bin", "0-2.bin"]
