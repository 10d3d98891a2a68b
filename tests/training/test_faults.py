"""Faults of files, worlds and learning: named, with what was learned kept."""

import os
import shutil

import gymnasium
import numpy as np
import pytest

import pacer
from pacer import learner
from pacer.errors import PacerError
from pacer.observers import Warned
from pacer.runs.files import load_json
from pacer.training.learn import Diverged
from tests.faults import damage
from tests.tiny_runs import everything, lanes, newest, results, stop_at, told, train
from tests.worlds import HIGH, LOW, Drift, Faulty, Moody, fail

RNG = np.random.default_rng(0)
pytestmark = pytest.mark.xdist_group("training")


def status(folder):
    return load_json(folder / "run.json")["status"]


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """A run that was stopped at step 60, after a checkpoint at 50; to be copied."""
    folder = tmp_path_factory.mktemp("stopped") / "run"
    stop_at(folder, 60)
    return folder


@pytest.mark.parametrize(
    "harm, message",
    [
        (lambda f: damage.everything(f, RNG), r"cannot be resumed: checkpoint 60 .*60/state\.safetensors is not what"),
        (lambda f: damage.flip(f / "replay" / "0-0.bin", RNG), r"replay/0-0\.bin is not what was written"),
        (lambda f: damage.remove(f / "replay" / "0-1.bin", RNG), r"replay/0-1\.bin is not what was written"),
        (lambda f: damage.rename(f, RNG), "9999 is the checkpoint of step 60 under another name"),
        (lambda f: shutil.rmtree(f / "replay"), "kept no replay"),
    ],
)
def test_damage_is_refused_by_name_and_nothing_is_changed(stopped, tmp_path, harm, message):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    harm(tmp_path)
    before = everything(tmp_path)
    with pytest.raises(PacerError, match=message):
        train(tmp_path)
    assert everything(tmp_path) == before
    assert np.isfinite(pacer.load(tmp_path).predict(np.zeros(3))[0]).all()


class Grown(Drift):
    """A Drift that has come to see more."""

    def __init__(self):
        super().__init__()
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4,))


class Shrunk(Drift):
    """A Drift whose actions reach less far."""

    def __init__(self):
        super().__init__()
        self.action_space = gymnasium.spaces.Box(LOW, HIGH / 2)


@pytest.mark.parametrize(
    "world, now", [(Grown, "4 observations, 2 actions from"), (Shrunk, r"3 observations, 2 .* to \[0\.5, 1\.5\]")]
)
def test_an_environment_that_has_other_spaces_by_now_is_told_apart(stopped, tmp_path, world, now):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    before = everything(tmp_path)
    trained = r"was trained on 3 observations, 2 actions from \[-0\.5, 0\.0\] to \[1\.0, 3\.0\]: mend"
    with pytest.raises(
        PacerError, match=rf"^Drift-v0 has now {now}.*, and the run in .* {trained}.*run_dir= in Python"
    ):
        train(tmp_path, make=world)
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    "way, place",
    [
        (damage.flip, "checkpoint/60/state.safetensors"),
        (damage.cut, "checkpoint/60/manifest.json"),
        (damage.flip, "replay/0-4.bin"),  # rows that only the newest counts
        (lambda path, _: os.truncate(path, path.stat().st_size - 5), "progress.csv"),
    ],
)
def test_after_damage_a_run_that_goes_on_from_its_older_checkpoint_ends_with_the_same_bytes(
    stopped, unbroken, tmp_path, way, place
):
    shutil.copytree(stopped, tmp_path, dirs_exist_ok=True)
    damage.clutter(tmp_path, RNG)
    way(tmp_path / place, RNG)
    told_of = []
    train(tmp_path, observers=[told(Warned, told_of)])
    assert [w.message.endswith("The run goes on from step 50") for w in told_of] == [True]
    clutter = ("checkpoint/.DS_Store",)
    assert {name: content for name, content in results(tmp_path).items() if name not in clutter} == unbroken
    assert load_json(tmp_path / "run.json")["bit_exact"] is True


@pytest.mark.parametrize(
    "fault, message",
    [
        (lambda o, r: (o, np.nan), r"Drift-v0 returned reward nan at step 137 of training \(episode \d+\)"),
        (lambda o, r: (o * np.float32([1, np.inf, 1]), r), r"in its observation from step at step 137 .*index 1"),
        (
            fail,
            r"failed in step\(.*\) at step 137 of training \(episode \d+\): RuntimeError\('the simulator fell over'",
        ),
    ],
)
@pytest.mark.usefixtures("untried")
def test_a_world_that_breaks_down_loses_nothing(unbroken, tmp_path, fault, message):
    with pytest.raises(PacerError, match=message):
        train(tmp_path, make=lambda: Faulty(fault, step=137))
    assert (newest(tmp_path).name, status(tmp_path)) == ("130", "failed")
    assert np.isfinite(pacer.load(tmp_path).predict(np.zeros(3))[0]).all()
    train(tmp_path)  # the world was mended
    assert results(tmp_path) == unbroken


class Fives(Faulty):
    """Every episode has five steps, so that blocks end with episodes."""

    def step(self, action):
        obs, reward, _, _, info = super().step(action)
        return obs, reward, False, self.steps % 5 == 0, info


@pytest.mark.parametrize("world, within", [(Fives, False), (Faulty, True)])
def test_after_a_stop_messages_still_count_the_steps_of_the_run(tmp_path, world, within):
    stop_at(tmp_path, 60, make=lambda: world(fail, step=1_000))
    (replayed,) = lanes(tmp_path)["steps"]
    assert bool(replayed) is within
    with pytest.raises(PacerError, match=r"at step 67 of training"):
        train(tmp_path, make=lambda: world(fail, step=replayed + 7))


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("evaluate_every, found", [(50, "50"), (30, "30")])
def test_an_evaluation_that_breaks_down_is_made_up_for(tmp_path, evaluate_every, found):
    """At the step of a checkpoint, and where no checkpoint was due."""
    worlds = iter([Drift(), Faulty(fail, step=3)])
    with pytest.raises(
        PacerError, match=rf"at step 3 of greedy evaluation episode \d, after {found} steps of training"
    ):
        train(tmp_path / "broken", make=lambda: next(worlds), evaluate_every=evaluate_every)
    assert newest(tmp_path / "broken").name == found
    train(tmp_path / "broken", evaluate_every=evaluate_every)
    train(tmp_path / "unbroken", evaluate_every=evaluate_every)
    assert results(tmp_path / "broken") == results(tmp_path / "unbroken")


def test_a_world_that_breaks_down_at_its_first_reset_is_only_a_failed_run(tmp_path):
    class Stillborn(Drift):
        def reset(self, *, seed=None, options=None):
            raise OSError("no display")

    with pytest.raises(PacerError, match=r"failed in reset\(seed=\d+\) at trial 0 before the run: OSError"):
        train(tmp_path, make=Stillborn)
    train(tmp_path, steps=200)
    assert status(tmp_path) == "finished"


@pytest.mark.parametrize("where", ["metrics", "last leaf"])
def test_divergence_keeps_the_last_good_checkpoint(unbroken, tmp_path, monkeypatch, where):
    """Also when the block's metrics do not show it, as when the last update overflows."""
    learn, calls = learner.learn, []

    def spoilt(*arguments):
        state, metrics, finite = learn(*arguments)
        calls.append(1)
        if len(calls) < 7:
            return state, metrics, finite
        spoiled = {"critic_loss": np.float32(np.inf)} if where == "metrics" else {}
        return state, {**metrics, **spoiled}, np.False_

    with monkeypatch.context() as patch:
        patch.setattr(learner, "learn", spoilt)
        with pytest.raises(Diverged, match=r"diverged at step 80 .*Checkpoints and agents from before are kept"):
            train(tmp_path)
    assert (newest(tmp_path).name, status(tmp_path)) == ("50", "failed")
    assert np.isfinite(pacer.load(tmp_path).predict(np.zeros(3))[0]).all()
    train(tmp_path)
    assert results(tmp_path) == unbroken


def test_a_world_that_does_not_repeat_itself_is_named_and_the_run_goes_on(tmp_path):
    warnings = []
    stop_at(tmp_path, 60, make=Moody, observers=[told(Warned, warnings)])
    assert load_json(tmp_path / "run.json")["bit_exact"] is False
    before = lanes(tmp_path)
    assert before["steps"] > 0
    train(tmp_path, make=Moody, observers=[told(Warned, warnings)])
    assert [w.message.split(". ")[0] for w in warnings] == [
        "Drift-v0 is not reproducible: the same seed and actions gave another observation at the start of episode 0",
        "Drift-v0 is not reproducible: a new episode begins",
    ]
    facts = load_json(tmp_path / "run.json")
    assert (facts["status"], facts["bit_exact"]) == ("finished", False)
    assert lanes(tmp_path)["episode"] > before["episode"]


class Payday(Drift):
    """Repeats everything but its rewards."""

    paid = 0.0

    def step(self, action):
        obs, reward, *ends = super().step(action)
        Payday.paid += 1e-12
        return obs, reward + Payday.paid, *ends


def test_a_world_whose_rewards_alone_differ_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("pacer.training.loop.unrepeated", lambda *_: None)  # which finds it at the start
    stop_at(tmp_path, 60, make=Payday)
    assert lanes(tmp_path)["steps"] > 0
    warnings = []
    stop_at(tmp_path, 70, make=Payday, observers=[told(Warned, warnings)])
    assert [w.message for w in warnings] == ["Drift-v0 is not reproducible: a new episode begins"]
    assert load_json(tmp_path / "run.json")["bit_exact"] is False


def test_an_episode_longer_than_the_replay_cannot_be_replayed_and_that_is_what_is_said(tmp_path):
    class Endless(Drift):
        def step(self, action):
            obs, reward, _, _, info = super().step(action)
            return obs, reward, False, self.steps == 1_000, info

    endless = {"make": Endless, "replay_capacity": 30, "evaluate_every": 1_000, "steps": 60}
    warnings = []
    stop_at(tmp_path, 40, **endless)
    # Stopped again before its evaluation, which would take long.
    stop_at(tmp_path, 60, observers=[told(Warned, warnings)], **endless)
    assert warnings == [Warned("the current episode of 40 steps is longer than the replay: a new episode begins")]


def test_a_function_that_returns_one_environment_twice_is_refused(tmp_path):
    env = Drift()
    with pytest.raises(PacerError, match="the same environment twice"):
        train(tmp_path, make=lambda: env)
