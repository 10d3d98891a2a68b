"""A run folder that is sent piece by piece while its run goes on."""

import shutil

import pytest

from pacer.experiments.courier import Outbox, unpack
from tests.tiny_runs import results, stop_at, train

pytestmark = pytest.mark.xdist_group("training")


def test_what_arrives_is_the_run_and_can_go_on(tmp_path):
    here, there, elsewhere = tmp_path / "here", tmp_path / "there", tmp_path / "elsewhere"
    outbox = Outbox(here)
    stop_at(here, 110)
    assert outbox.due()
    unpack(outbox.pack(), there)
    assert results(there) == results(here)
    assert not outbox.due()
    unpack(Outbox(there).pack(), elsewhere)  # another node, which is sent everything
    train(here)
    second = outbox.pack()
    assert any(offset > 0 for name, offset, _ in second.pieces if name.startswith("replay/"))
    unpack(second, there)
    assert results(there) == results(here)
    train(elsewhere)
    assert results(elsewhere) == results(here)


def test_what_lies_behind_the_checkpoint_may_be_written_anew(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    stop_at(here, 110)
    replay = max((here / "replay").iterdir())
    replay.write_bytes(replay.read_bytes() + b"rows that no checkpoint counts" * 10)
    shutil.copytree(here, there)
    outbox = Outbox(here)
    outbox.mark()
    train(here)
    unpack(outbox.pack(), there)
    assert results(there) == results(here)


def test_a_parcel_that_arrives_in_part_leaves_the_older_checkpoint(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    outbox = Outbox(here)
    stop_at(here, 50)
    unpack(outbox.pack(), there)
    train(here)
    pieces = outbox.pack().pieces
    names = [name for name, _, _ in pieces]
    assert names[-1] == "DONE"
    assert names[-2] == "checkpoint/200/manifest.json"
    first = next(k for k, name in enumerate(names) if name.startswith("checkpoint/"))
    assert not [name for name in names[:first] if name.startswith("checkpoint/")]
    for name, offset, content in pieces[: first + 1]:  # the connection is lost with the checkpoint half-way
        target = there / (name if not name.startswith("checkpoint/") else "checkpoint/.writing/" + name.split("/")[-1])
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("r+b" if offset else "wb") as file:
            file.seek(offset)
            file.write(content)
    assert [path.name for path in (there / "checkpoint").iterdir() if path.name.isdigit()] == ["50"]
    train(there)
    assert results(there) == results(here)


def test_a_folder_that_changes_while_it_is_packed_is_packed_again(tmp_path, monkeypatch):
    here = tmp_path / "here"
    stop_at(here, 50)
    outbox, whole = Outbox(here), Outbox._piece

    def piece(self, name):
        (here / "checkpoint" / "50").rename(here / "checkpoint" / "60") if name == "config.json" else None
        return whole(self, name)

    monkeypatch.setattr(Outbox, "_piece", piece)
    assert outbox.pack() is None
    monkeypatch.undo()
    assert outbox.pack() is not None
