"""Whole runs: equal bytes for equal seeds, however often and however rudely they were interrupted."""

import json
import os
import shutil
import signal
from pathlib import Path

import jax
import numpy as np
import pytest

import pacer
from pacer import learner
from pacer.errors import PacerError
from pacer.runs.files import load_json
from pacer.training.loop import Diverged
from pacer.training.stopping import Stopped
from tests.tiny_runs import RECIPE, SCHEDULE, STEPS, everything, newest, once, results, send, stop_at, train
from tests.worlds import Drift, Faulty, Moody, fail

pytestmark = pytest.mark.xdist_group("training")


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """What a run leaves that nothing disturbed."""
    folder = tmp_path_factory.mktemp("unbroken")
    train(folder)
    return results(folder)


def status(folder):
    return load_json(folder / "run.json")["status"]


def test_a_run_leaves_what_it_should(unbroken):
    logs = {name: unbroken[name].decode().splitlines() for name in ("progress.csv", "evaluations.csv")}
    assert [row.split(",")[0] for row in logs["progress.csv"]] == ["step", *map(str, range(20, STEPS + 1, 20))]
    assert logs["progress.csv"][0].startswith("step,episodes,train_return,")
    assert {"critic_loss", "distance", "weight"} <= set(logs["progress.csv"][0].split(","))
    assert logs["evaluations.csv"][0] == "step,mode,episode,return,length"
    evaluations = [row.split(",")[:3] for row in logs["evaluations.csv"][1:]]
    assert evaluations == [
        [str(step), mode, str(n)] for step in (50, 100, 150, 200) for mode in ("greedy", "sampled") for n in (0, 1)
    ]
    policies = {"agent", "best", "snapshots/20", "snapshots/100", "snapshots/200"}
    assert {str(Path(name).parent) for name in unbroken} == {".", "checkpoint/200", *policies}
    assert unbroken["snapshots/200/agent.safetensors"] == unbroken["agent/agent.safetensors"]
    assert json.loads(unbroken["DONE"])["steps"] == STEPS


def test_one_seed_gives_one_result_and_another_seed_another(unbroken, tmp_path):
    train(tmp_path / "again")
    assert results(tmp_path / "again") == unbroken
    train(tmp_path / "other", seed=1)
    other = results(tmp_path / "other")
    for name in ("progress.csv", "evaluations.csv", "agent/agent.safetensors", "replay.bin"):
        assert other[name] != unbroken[name]


def test_the_best_policy_is_that_of_the_best_greedy_evaluation(unbroken, tmp_path):
    rows = [row.split(",") for row in unbroken["evaluations.csv"].decode().splitlines()[1:]]
    greedy = {step: np.mean([float(r[3]) for r in rows if r[0] == step and r[1] == "greedy"]) for step, *_ in rows}
    best = int(max(greedy, key=greedy.get))
    stop_at(tmp_path, best)
    assert (tmp_path / "agent/agent.safetensors").read_bytes() == unbroken["best/agent.safetensors"]


def test_the_world_is_as_before_after_every_stop(unbroken, tmp_path):
    """A stop after every single block: at evaluations, snapshots and checkpoints, within and between episodes."""
    for step in range(10, STEPS, 10):
        stop_at(tmp_path, step)
        assert newest(tmp_path).name == str(step)
        assert status(tmp_path) == "stopped"
    train(tmp_path)
    assert results(tmp_path) == unbroken
    facts = load_json(tmp_path / "run.json")
    assert (facts["status"], facts["bit_exact"]) == ("finished", True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_with_its_code_and_leaves_the_handlers_as_they_were(number, tmp_path):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped) as stopped:
        train(tmp_path, report=once(30, lambda: send(number)))
    assert stopped.value.exit_code == 128 + number
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
    assert newest(tmp_path).name == "30"
    assert pacer.load(tmp_path).space == (3, 2)


def test_a_stop_does_not_wait_for_an_evaluation_and_the_next_start_makes_up_for_it(unbroken, tmp_path):
    stop_at(tmp_path, STEPS)
    assert not (tmp_path / "DONE").exists()
    assert b"\n200," not in (tmp_path / "evaluations.csv").read_bytes()
    train(tmp_path)
    assert results(tmp_path) == unbroken


def test_a_second_signal_ends_at_once_and_loses_only_what_came_after_the_checkpoint(unbroken, tmp_path):
    with pytest.raises(SystemExit) as end:
        train(tmp_path, report=once(80, lambda: send(signal.SIGTERM, signal.SIGTERM)))
    assert end.value.code == 143
    assert newest(tmp_path).name == "50"
    train(tmp_path)
    assert results(tmp_path) == unbroken


class PowerCut(BaseException):
    pass


def cut_power(monkeypatch, call):
    """Nothing is written after this many calls that make something last; how many there were."""
    calls = []

    def guarded(original):
        def maybe(*arguments, **options):
            if len(calls) == call:
                raise PowerCut
            calls.append(original.__name__)
            return original(*arguments, **options)

        return maybe

    monkeypatch.setattr(os, "fsync", guarded(os.fsync))
    monkeypatch.setattr(os, "replace", guarded(os.replace))
    monkeypatch.setattr(os, "truncate", guarded(os.truncate))
    monkeypatch.setattr(Path, "rename", guarded(Path.rename))
    monkeypatch.setattr(shutil, "rmtree", guarded(shutil.rmtree))
    return calls


def test_a_power_cut_at_any_write_loses_nothing_that_matters(unbroken, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        total = len(cut_power_free_run(tmp_path / "counted", patch))
    assert total > 60
    survived = 0
    for number, call in enumerate(range(1, total, 7)):
        folder = tmp_path / str(number)
        for again in (call, 4):  # once in the run, once more soon after it began to resume
            with monkeypatch.context() as patch:
                cut_power(patch, again)
                with pytest.raises(PowerCut):
                    train(folder)
        train(folder)
        assert results(folder) == unbroken, f"cut at write {call} of {total}"
        survived += 1
    assert survived > 8


def cut_power_free_run(folder, patch):
    calls = cut_power(patch, call=-1)
    train(folder)
    return calls


@pytest.mark.parametrize("step", [10, 60, 100])
def test_an_error_of_the_users_own_report_loses_nothing(unbroken, tmp_path, step):
    def broken():
        raise ZeroDivisionError("in a callback")

    with pytest.raises(ZeroDivisionError):
        train(tmp_path, report=once(step, broken))
    assert (newest(tmp_path).name, status(tmp_path)) == (str(step), "failed")
    train(tmp_path)
    assert results(tmp_path) == unbroken


def test_extending_a_run_gives_what_the_longer_run_gives(unbroken, tmp_path):
    train(tmp_path, steps=100)
    assert load_json(tmp_path / "DONE")["steps"] == 100
    train(tmp_path)

    def without_snapshots(files):
        return {name: content for name, content in files.items() if not name.startswith("snapshots")}

    assert without_snapshots(results(tmp_path)) == without_snapshots(unbroken)


def test_an_evaluation_that_only_the_shorter_run_had_is_kept(tmp_path):
    train(tmp_path, steps=70)
    before = (tmp_path / "evaluations.csv").read_bytes()
    assert b"\n70,greedy,1," in before
    stop_at(tmp_path, 80)
    assert (tmp_path / "evaluations.csv").read_bytes() == before


def test_a_finished_run_is_left_as_it_is(tmp_path):
    train(tmp_path)
    before = everything(tmp_path)
    train(tmp_path)
    assert everything(tmp_path) == before


def test_without_its_replay_a_run_finishes_and_cannot_be_extended(tmp_path):
    stop_at(tmp_path, 60, steps=100, keep_replay=False)
    train(tmp_path, steps=100, keep_replay=False)
    assert not (tmp_path / "replay.bin").exists()
    before = everything(tmp_path)
    with pytest.raises(PacerError, match="kept no replay: its run cannot be extended"):
        train(tmp_path, keep_replay=False)
    assert everything(tmp_path) == before
    train(tmp_path, steps=100, keep_replay=False)
    assert everything(tmp_path) == before


def test_a_folder_in_use_is_refused(tmp_path):
    def start_another():
        with pytest.raises(PacerError, match="in use by another run"):
            train(tmp_path)
        tried.append(True)

    tried = []
    train(tmp_path, steps=20, report=once(10, start_another))
    assert tried == [True]


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda f: flip(newest(f) / "state.safetensors"), "checkpoint/60 is damaged: state.safetensors"),
        (lambda f: os.truncate(newest(f) / "state.safetensors", 1_000), "checkpoint/60 is damaged: state.safetensors"),
        (lambda f: flip(newest(f) / "progress.json"), "checkpoint/60 is damaged: progress.json"),
        (lambda f: os.truncate(newest(f) / "manifest.json", 9), "checkpoint/60/manifest.json cannot be read"),
        (lambda f: os.truncate(f / "replay.bin", 100), "replay.bin is shorter than its checkpoint says"),
        (lambda f: (f / "replay.bin").unlink(), "kept no replay"),
    ],
)
def test_damage_is_refused_by_name_and_nothing_is_changed(tmp_path, damage, message):
    stop_at(tmp_path, 60)
    damage(tmp_path)
    before = everything(tmp_path)
    with pytest.raises(PacerError, match=message):
        train(tmp_path)
    assert everything(tmp_path) == before
    assert np.isfinite(pacer.load(tmp_path).predict(np.zeros(3))[0]).all()


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
    _, replayed, _ = load_json(newest(tmp_path) / "progress.json")["position"]
    assert (replayed > 0) is within
    with pytest.raises(PacerError, match=r"at step 67 of training"):
        train(tmp_path, make=lambda: world(fail, step=replayed + 7))


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

    with pytest.raises(PacerError, match=r"failed in reset\(seed=\d+\) at step 0 of training \(episode 0\): OSError"):
        train(tmp_path, make=Stillborn)
    train(tmp_path, steps=200)
    assert status(tmp_path) == "finished"


@pytest.mark.parametrize("where", ["metrics", "last leaf"])
def test_divergence_keeps_the_last_good_checkpoint(unbroken, tmp_path, monkeypatch, where):
    """Also when the block's metrics do not show it, as when the last update overflows."""
    learn, calls = learner.learn, []

    def spoilt(*arguments):
        state, metrics = learn(*arguments)
        calls.append(1)
        if len(calls) < 7:
            return state, metrics
        if where == "metrics":
            return state, {**metrics, "critic_loss": np.float32(np.inf)}
        leaves, structure = jax.tree.flatten(state.optimiser)
        return state._replace(optimiser=structure.unflatten([*leaves[:-1], leaves[-1] * np.nan])), metrics

    with monkeypatch.context() as patch:
        patch.setattr(learner, "learn", spoilt)
        with pytest.raises(Diverged, match=r"diverged at step 80 .*last checkpoint and policy are kept"):
            train(tmp_path)
    assert (newest(tmp_path).name, status(tmp_path)) == ("50", "failed")
    assert np.isfinite(pacer.load(tmp_path).predict(np.zeros(3))[0]).all()
    train(tmp_path)
    assert results(tmp_path) == unbroken


def test_a_world_that_does_not_repeat_itself_is_named_and_the_run_goes_on(tmp_path):
    stop_at(tmp_path, 60, make=Moody)
    episode, steps, _ = load_json(newest(tmp_path) / "progress.json")["position"]
    assert steps > 0
    warnings = []
    train(tmp_path, make=Moody, report=lambda facts: warnings.append(facts["warning"]) if "warning" in facts else None)
    assert warnings == ["Drift-v0 is not reproducible: a new episode begins"]
    facts = load_json(tmp_path / "run.json")
    assert (facts["status"], facts["bit_exact"]) == ("finished", False)
    assert load_json(newest(tmp_path) / "progress.json")["position"][0] > episode


def test_an_episode_longer_than_the_replay_cannot_be_replayed_and_that_is_what_is_said(tmp_path):
    class Endless(Drift):
        def step(self, action):
            obs, reward, _, _, info = super().step(action)
            return obs, reward, False, self.steps == 1_000, info

    endless = {"make": Endless, "replay_capacity": 30, "evaluate_every": 1_000, "steps": 60}
    warnings = []

    def report(facts):
        warnings.extend([facts["warning"]] if "warning" in facts else [])

    stop_at(tmp_path, 40, **endless)
    with pytest.raises(Stopped):  # before its evaluation, which would take long
        train(
            tmp_path, report=lambda facts: (report(facts), facts.get("step") == 60 and send(signal.SIGINT)), **endless
        )
    assert warnings == ["the current episode of 40 steps is longer than the replay: a new episode begins"]


def test_a_function_that_returns_one_environment_twice_is_refused(tmp_path):
    env = Drift()
    with pytest.raises(PacerError, match="the same environment twice"):
        train(tmp_path, make=lambda: env)


def test_pacer_train_takes_a_function_and_returns_the_agent(tmp_path):
    agent = pacer.train(Drift, RECIPE, steps=25, schedule=SCHEDULE, run_dir=tmp_path)
    assert load_json(tmp_path / "config.json")["config"]["environment"] == "function:Drift"
    assert load_json(tmp_path / "DONE")["steps"] == 30  # whole blocks
    assert np.array_equal(
        agent.predict(np.ones(3), deterministic=True)[0],
        pacer.load(tmp_path / "snapshots" / "30").predict(np.ones(3), deterministic=True)[0],
    )
