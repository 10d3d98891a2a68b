"""The life of a run: equal bytes for equal seeds, what it leaves, how it is extended, and what it tells."""

import json
from pathlib import Path

import numpy as np
import pytest

import pacer
from pacer import learner
from pacer.errors import PacerError
from pacer.observers import STOP, Evaluated, Finished, Phase, Progress, Started, Warned
from pacer.runs.files import load_json
from pacer.training import world
from pacer.training.stopping import Stopped
from tests.tiny_runs import RECIPE, SCHEDULE, STEPS, everything, newest, once, results, stop_at, told, train
from tests.worlds import Drift

pytestmark = pytest.mark.xdist_group("training")


def test_a_run_leaves_what_it_should(unbroken):
    logs = {name: unbroken[name].decode().splitlines() for name in ("progress.csv", "evaluations.csv")}
    assert [row.split(",")[0] for row in logs["progress.csv"]] == ["step", *map(str, range(20, STEPS + 1, 20))]
    assert logs["progress.csv"][0].startswith("step,episodes,train_return,")
    assert {"critic_loss", "log_density", "weight"} <= set(logs["progress.csv"][0].split(","))
    assert logs["evaluations.csv"][0] == "step,mode,episode,return,length,discounted"
    evaluations = [row.split(",")[:3] for row in logs["evaluations.csv"][1:]]
    assert evaluations == [
        [str(step), mode, str(n)] for step in (50, 100, 150, 200) for mode in ("greedy", "sampled") for n in (0, 1)
    ]
    agents = {"agent", "best", "snapshots/20", "snapshots/100", "snapshots/200"}
    assert {str(Path(name).parent) for name in unbroken} == {".", "checkpoint/150", "checkpoint/200", "replay", *agents}
    assert unbroken["snapshots/200/agent.safetensors"] == unbroken["agent/agent.safetensors"]
    assert json.loads(unbroken["DONE"])["steps"] == STEPS


def test_agents_of_all_evaluations_are_kept_where_asked_for(unbroken, tmp_path):
    train(tmp_path, snapshot_every=50)
    kept = results(tmp_path)
    extra = {f"snapshots/{step}/{name}" for step in (50, 150) for name in ("agent.json", "agent.safetensors")}
    assert kept.keys() - unbroken.keys() == extra
    assert {name for name in unbroken if kept[name] != unbroken[name]} <= {"config.json"}
    assert pacer.Run(tmp_path).config.phases == (20, 100, 200)


def test_one_seed_gives_one_result_and_another_seed_another(unbroken, tmp_path):
    train(tmp_path / "again")
    assert results(tmp_path / "again") == unbroken
    train(tmp_path / "other", seed=1)
    other = results(tmp_path / "other")
    for name in ("progress.csv", "evaluations.csv", "agent/agent.safetensors", "replay/0-4.bin"):
        assert other[name] != unbroken[name]


def test_the_best_agent_is_that_of_the_best_greedy_evaluation(unbroken, tmp_path):
    rows = [row.split(",") for row in unbroken["evaluations.csv"].decode().splitlines()[1:]]
    greedy = {step: np.mean([float(r[3]) for r in rows if r[0] == step and r[1] == "greedy"]) for step, *_ in rows}
    best = int(max(greedy, key=greedy.get))
    stop_at(tmp_path, best)
    assert (tmp_path / "agent/agent.safetensors").read_bytes() == unbroken["best/agent.safetensors"]


def test_extending_a_run_gives_what_the_longer_run_gives(unbroken, tmp_path):
    train(tmp_path, steps=100)
    assert load_json(tmp_path / "DONE")["steps"] == 100
    train(tmp_path)

    def without_snapshots(files):
        return {name: content for name, content in files.items() if not name.startswith("snapshots")}

    assert without_snapshots(results(tmp_path)) == without_snapshots(unbroken)


def test_what_only_the_shorter_run_wrote_is_kept_and_the_rest_is_the_longer_runs(unbroken, tmp_path):
    """Its own end was evaluated and logged; `best` and the snapshots know of it, the agent does not."""
    train(tmp_path, steps=70)
    before = (tmp_path / "evaluations.csv").read_bytes()
    assert b"\n70,greedy,1," in before
    stop_at(tmp_path, 80)
    assert (tmp_path / "evaluations.csv").read_bytes() == before
    train(tmp_path)
    extended = results(tmp_path)
    for name in ("agent/agent.safetensors", "snapshots/200/agent.safetensors"):
        assert extended[name] == unbroken[name]
    for log in ("progress.csv", "evaluations.csv"):
        lines = [line for line in extended[log].splitlines() if not line.startswith(b"70,")]
        assert lines == unbroken[log].splitlines()


def test_a_run_that_goes_on_is_not_compiled_anew(tmp_path):
    """What is loaded has the types of what was computed, weak ones included."""
    stop_at(tmp_path, 60)
    before = learner.compiled_learn._cache_size()
    train(tmp_path, steps=STEPS)
    assert learner.compiled_learn._cache_size() == before


def test_an_episode_without_an_end_is_warned_about_once(tmp_path, monkeypatch):
    monkeypatch.setattr(world, "LONGEST_UNLIMITED", 30)
    monkeypatch.setattr(Drift, "step", lambda self, action: (self.observation(), 0.0, False, False, {}))
    warnings = []
    train(tmp_path, steps=60, observers=[told(Warned, warnings)])
    (warning,) = warnings
    assert warning.message.startswith("an episode of Drift-v0 has gone on for 30 steps: evaluations are cut")
    assert pacer.Run(tmp_path).evaluations()["length"].tolist() == [30] * 8


def test_a_finished_run_is_left_as_it_is(tmp_path):
    train(tmp_path)
    before = everything(tmp_path)
    train(tmp_path)
    assert everything(tmp_path) == before


def test_without_its_replay_a_run_finishes_and_cannot_be_extended(tmp_path):
    stop_at(tmp_path, 60, steps=100, keep_replay=False)
    train(tmp_path, steps=100, keep_replay=False)
    assert not (tmp_path / "replay").exists()
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
    train(tmp_path, steps=20, observers=[once(10, start_another)])
    assert tried == [True]


def test_a_run_tells_its_story_in_order(tmp_path):
    events = []
    train(tmp_path, steps=60, observers=[events.append])
    blocks = [e for e in events if isinstance(e, Progress)]
    assert [e.step for e in blocks] == list(range(10, 61, 10))
    assert blocks[0].metrics == {}
    assert "critic_loss" in blocks[1].metrics
    assert all("collect" in e.seconds for e in blocks)
    assert "evaluate" in blocks[5].seconds  # the evaluation after block 5 took place before this news
    kinds = [e.name if isinstance(e, Phase) else type(e) for e in events]
    evaluating = ["saving", "evaluating", Evaluated]
    assert kinds == [Started, Progress, "compiling", *[Progress] * 4, *evaluating, Progress, *evaluating, Finished]
    assert (events[0], events[-1]) == (Started(0), Finished(60, "finished"))
    (evaluated, _) = (e for e in events if isinstance(e, Evaluated))
    assert (evaluated.step, len(evaluated.episodes)) == (50, 4)


def test_an_observer_may_end_a_run_and_nothing_is_lost(unbroken, tmp_path):
    events = []
    with pytest.raises(Stopped, match="an observer") as stopped:
        train(tmp_path, observers=[once(60, lambda: STOP), told(Finished, events)])
    assert stopped.value.exit_code == 0
    assert (newest(tmp_path).name, load_json(tmp_path / "run.json")["status"]) == ("60", "stopped")
    assert events == [Finished(60, "stopped")]
    train(tmp_path)
    assert results(tmp_path) == unbroken


def test_a_run_that_an_observer_stops_at_every_evaluation_gets_further_each_time(unbroken, tmp_path):
    """Nothing is evaluated twice; the checkpoint before the last is then one from after its evaluation."""

    def stop(event):
        if isinstance(event, Evaluated):
            heard.append(event.step)
            return STOP
        return None

    heard = []
    for _ in range(3):
        with pytest.raises(Stopped, match="an observer"):
            train(tmp_path, observers=[stop])
    train(tmp_path, observers=[stop])
    assert heard == [50, 100, 150, 200]
    left = results(tmp_path)
    assert {name for name in unbroken if left.pop(name) != unbroken[name]} == {"checkpoint/150/state.safetensors"}
    assert not left


def test_a_run_too_short_to_learn_anything_says_so(tmp_path):
    warnings = []
    train(tmp_path, steps=10, evaluation_episodes=1, observers=[told(Warned, warnings)])
    assert [w.message for w in warnings] == [
        "nothing will be learned: the run ends after 10 steps, and learning begins after 20. Train for longer, or set "
        "schedule.learn_after"
    ]


def test_an_observer_that_fails_is_named_and_the_run_goes_on(unbroken, tmp_path):
    def broken():
        raise ZeroDivisionError("in a callback")

    warnings = []
    train(tmp_path, observers=[once(60, broken), told(Warned, warnings)])
    assert "ZeroDivisionError('in a callback')" in warnings[0].message
    assert len(warnings) == 1
    assert results(tmp_path) == unbroken


def test_pacer_train_takes_a_function_and_returns_the_agent(tmp_path):
    agent = pacer.train(Drift, RECIPE, steps=25, schedule=SCHEDULE, run_dir=tmp_path)
    assert load_json(tmp_path / "config.json")["config"]["environment"] == "function:Drift"
    assert load_json(tmp_path / "DONE")["steps"] == 30  # whole blocks
    assert np.array_equal(
        agent.predict(np.ones(3), deterministic=True)[0],
        pacer.load(tmp_path / "snapshots" / "30").predict(np.ones(3), deterministic=True)[0],
    )
