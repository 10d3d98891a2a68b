"""The run folder: who may use it, what is cut from it, and which checkpoints count."""

import json
import os
from dataclasses import replace

import pytest

from pacer.errors import PacerError
from pacer.pieces import MLP, PushForward
from pacer.runs.checkpoints import find
from pacer.runs.codec import encode
from pacer.runs.files import load_json
from pacer.runs.folder import RunFolder, load_settings
from pacer.runs.formats import FORMAT
from tests.tiny_runs import RECIPE, configuration, everything

FACTS = {"processor": "quick", "backend": "cpu", "flags": "", "versions": {"jax": "1.0", "numpy": "2.0"}}


def opened(path, exact=True, facts=FACTS, config=None, **changes):
    config = config or configuration(**changes)
    return RunFolder(path, encode(config), config.steps, exact, facts, watching=["schedule.evaluate_every"])


def begun(path, **changes):
    folder = opened(path, **changes)
    folder.begin(find(path))
    return folder


def closed(path, **changes):
    begun(path, **changes).close()


def checkpointed(path, **changes):
    """A run that got as far as a checkpoint."""
    folder = begun(path, **changes)
    folder.commit_checkpoint(folder.new_checkpoint(), 10, {})
    folder.close()


def facts_of(path):
    return load_json(path / "run.json")


def test_opening_changes_nothing_and_beginning_writes_the_configuration(tmp_path):
    folder = opened(tmp_path / "run")
    assert everything(tmp_path) == {}
    folder.begin()
    assert load_settings(tmp_path / "run") == encode(configuration())
    assert facts_of(tmp_path / "run") == {"format": FORMAT, "status": "running", "bit_exact": True, **FACTS}


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"recipe": replace(RECIPE, discount=0.5)}, r"recipe\.discount \(0\.99 there, 0\.5 here\)"),
        ({"recipe": replace(RECIPE, actor=PushForward(MLP((8,))))}, r"recipe\.actor\.body\.hidden \(\[16, 16\]"),
        ({"seed": 1}, r"seed \(0 there, 1 here\)"),
        ({"environment": "Hopper-v4"}, r"environment \(Drift-v0 there, Hopper-v4 here\)"),
        ({"updates": 3}, r"schedule\.updates \(2 there, 3 here\)"),
        ({"steps": 100}, "holds a run of 200 steps, more than the 100 asked for"),
    ],
)
def test_another_configuration_is_refused_and_the_difference_named(tmp_path, changes, message):
    closed(tmp_path)
    before = everything(tmp_path)
    with pytest.raises(PacerError, match=message):
        opened(tmp_path, **changes)
    assert everything(tmp_path) == before


def test_what_is_only_watched_otherwise_is_the_same_run_but_not_the_same_bytes(tmp_path):
    checkpointed(tmp_path)
    folder = opened(tmp_path, evaluate_every=100)
    told = "the run is no longer bit-exact: it goes on with another schedule.evaluate_every (50 there, 100 here)"
    assert folder.begin(find(tmp_path)) == [told]
    assert load_settings(tmp_path)["schedule"]["evaluate_every"] == 100
    assert facts_of(tmp_path)["bit_exact"] is False
    folder.close()
    with pytest.raises(PacerError, match="log_every"):
        opened(tmp_path, evaluate_every=100, log_every=10)


def test_more_steps_are_the_same_run(tmp_path):
    closed(tmp_path)
    closed(tmp_path, steps=400)
    assert load_settings(tmp_path)["steps"] == 400


def test_options_that_json_changes_are_still_the_same_options(tmp_path):
    config = replace(configuration(), environment_options={"range": (1, 2), "inner": {"a": (3,)}})
    for _ in range(2):
        closed(tmp_path, config=config)
    with pytest.raises(PacerError, match=r"environment_options\.range \(\[1, 2\] there, \[1, 3\] here\)"):
        opened(tmp_path, config=replace(config, environment_options={"range": (1, 3), "inner": {"a": (3,)}}))


def test_options_that_json_cannot_hold_are_refused(tmp_path):
    folder = opened(tmp_path, config=replace(configuration(), environment_options={"f": len}))
    with pytest.raises(PacerError, match=r"config\.json cannot be written as JSON"):
        folder.begin()


def test_a_folder_in_use_is_refused_until_it_is_closed(tmp_path):
    first = opened(tmp_path)
    with pytest.raises(PacerError, match=rf"in use by another run \(process {os.getpid()} on "):
        opened(tmp_path)
    first.close()
    opened(tmp_path).close()


def test_a_refusal_does_not_keep_the_lock(tmp_path):
    closed(tmp_path)
    with pytest.raises(PacerError) as kept:
        opened(tmp_path, seed=1)
    opened(tmp_path).close()
    assert "seed" in str(kept.value)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(PacerError, match=r"cannot be written.*Name another with --run-dir \(run_dir= in Python\)"):
            opened(path)


def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(PacerError, match=r"not empty and holds no run \(thesis\.tex\)"):
        opened(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {"thesis.tex"}


def test_a_crash_before_the_configuration_was_written_is_no_obstacle(tmp_path):
    (tmp_path / ".config.json.writing").write_text('{"form')
    closed(tmp_path)
    assert load_settings(tmp_path) == encode(configuration())


def test_a_configuration_of_a_later_format_is_refused_and_kept(tmp_path):
    closed(tmp_path)
    content = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**content, "format": FORMAT + 1}))
    with pytest.raises(PacerError, match=f"of format {FORMAT + 1}"):
        opened(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text())["format"] == FORMAT + 1


def test_a_run_is_finished_for_at_most_the_steps_it_took(tmp_path):
    folder = begun(tmp_path)
    assert not folder.finished(200)
    folder.finish(200)
    assert folder.finished(200)
    assert not folder.finished(210)
    assert facts_of(tmp_path)["status"] == "finished"
    folder.close()
    closed(tmp_path, steps=400)
    assert not (tmp_path / "DONE").exists()


def test_once_not_bit_exact_always_not_bit_exact(tmp_path):
    checkpointed(tmp_path, exact=False)
    closed(tmp_path)
    assert facts_of(tmp_path)["bit_exact"] is False


@pytest.mark.parametrize(
    "changed, named",
    [
        ({"processor": "quicker"}, "processor (quick there, quicker here)"),
        ({"backend": "gpu"}, "backend (cpu there, gpu here)"),
        ({"flags": "--fast"}, "flags ( there, --fast here)"),
        ({"versions": {"jax": "1.1", "numpy": "2.0"}}, "versions.jax (1.0 there, 1.1 here)"),
    ],
)
def test_a_run_that_goes_on_under_other_conditions_is_not_bit_exact_and_they_are_named(tmp_path, changed, named):
    checkpointed(tmp_path)
    folder = opened(tmp_path)
    assert folder.begin(find(tmp_path)) == []
    folder.close()
    assert facts_of(tmp_path)["bit_exact"] is True
    folder = opened(tmp_path, facts={**FACTS, **changed})
    assert folder.begin(find(tmp_path)) == [f"the run is no longer bit-exact: it goes on with another {named}"]
    assert facts_of(tmp_path)["bit_exact"] is False
    assert facts_of(tmp_path).items() >= changed.items()


def test_code_that_another_python_compiled_is_no_other_environment(tmp_path):
    def known(python, source):
        return {"facts": {**FACTS, "python": python}, "config": replace(configuration(), source=source)}

    checkpointed(tmp_path, **known("3.11.7", "one"))
    with pytest.raises(PacerError, match=r"source \(one there, other here\).*code was edited since.*start-from"):
        opened(tmp_path, **known("3.11.9", "other"))
    (warning,) = opened(tmp_path, **known("3.12.1", "other")).begin(find(tmp_path))
    assert warning.startswith("the run is no longer bit-exact: it goes on with another python (3.11.7 there, 3.12.1")


def test_a_run_that_starts_from_nothing_is_as_exact_as_its_new_conditions(tmp_path):
    closed(tmp_path, exact=False)
    assert opened(tmp_path, facts={**FACTS, "processor": "other"}).begin() == []
    assert facts_of(tmp_path)["bit_exact"] is True


def test_logs_have_one_header_exact_numbers_and_are_cut_to_size(tmp_path):
    folder = begun(tmp_path)
    folder.append("progress.csv", [{"step": 10, "loss": 0.1}, {"step": 20, "loss": 1 / 3}])
    folder.commit_checkpoint(folder.new_checkpoint(), 20, {})
    before = (tmp_path / "progress.csv").read_text()
    folder.append("progress.csv", [{"step": 30, "loss": float("nan")}])
    folder.append("timings.csv", [{"step": 30}])
    text = (tmp_path / "progress.csv").read_text()
    assert text == f"step,loss\n10,0.1\n20,{1 / 3!r}\n30,nan\n"
    folder.begin(find(tmp_path))
    assert (tmp_path / "progress.csv").read_text() == before
    assert (tmp_path / "timings.csv").read_text() == ""
    folder.append("progress.csv", [{"step": 30, "loss": 2.0}])
    assert (tmp_path / "progress.csv").read_text().endswith("0.3333333333333333\n30,2.0\n")


def test_a_folder_without_a_run_has_no_configuration(tmp_path):
    with pytest.raises(PacerError, match=r"is not a run folder: it has no config\.json"):
        load_settings(tmp_path)


@pytest.mark.parametrize("name", [".lock", "progress.csv", "agent", "checkpoint/.writing", "replay/0-0.bin"])
def test_a_folder_with_links_is_refused_and_nothing_is_written_through_them(tmp_path, name):
    run, victim = tmp_path / "run", tmp_path / "victim"
    closed(run)
    victim.write_text("precious")
    (run / name).parent.mkdir(exist_ok=True)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(victim)
    before = everything(tmp_path)
    with pytest.raises(PacerError, match="is a symbolic link, and a run writes nothing outside its folder"):
        opened(run)
    assert everything(tmp_path) == before


def test_a_folder_that_was_made_for_a_run_that_never_began_is_taken_away(tmp_path):
    opened(tmp_path / "runs" / "a" / "seed0").close()
    assert list(tmp_path.iterdir()) == []
    folder = opened(tmp_path / "runs" / "a" / "seed0")
    folder.begin()
    folder.close()
    assert load_settings(tmp_path / "runs" / "a" / "seed0")
