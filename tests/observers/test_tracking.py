"""Tracking: the tags that users look for, nothing told twice when a run goes on, and lacks that are known at once."""

import json
import resource
import sys
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from pacer.errors import PacerError
from pacer.observers import Audience, Episode, Evaluated, Finished, Progress, Started, Warned
from pacer.observers.tracking import Told, Tracker, tracker
from pacer.observers.wandb import WandB
from tests.tiny_runs import configuration, train

EVALUATED = Evaluated(
    50, (Episode("greedy", 0, 1.0, 4, 0.5, {"goals": 3}), Episode("greedy", 1, 2.0, 8, 0.5, {"goals": 0}))
)


def progress(step, train_return=2.5):
    return Progress(step, 7, train_return, {"critic_loss": 0.25}, {"collect": 1.0, "learn": 2.0})


class Notes(Tracker):
    """Keeps what it is told."""

    def __init__(self, every=20, known=None):
        super().__init__(every)
        self.known, self.notes, self.closed = known or Told(), [], False

    def open(self, step):
        return self.known

    def write(self, step, figures):
        self.notes.append((step, figures))

    def close(self):
        self.closed = True


def dies_at(step):
    """A part of the run that fails, as if the process had been killed: there is no checkpoint."""

    def fall(event):
        if isinstance(event, Progress) and event.step == step:
            raise MemoryError

    fall.essential = True
    return fall


def test_figures_have_the_usual_tags_and_come_when_they_are_due():
    notes = Notes()
    for event in (Started(0), progress(10, float("nan")), progress(20, float("nan")), progress(30), progress(40)):
        notes(event)
    notes(EVALUATED)
    assert not notes.closed
    notes(Finished(50, "finished"))
    assert notes.closed
    (first, early), (second, later), (third, judged) = notes.notes
    assert (first, second, third) == (20, 40, 50)
    assert "rollout/ep_rew_mean" not in early
    assert later["rollout/ep_rew_mean"] == 2.5
    assert later["train/critic_loss"] == 0.25
    assert later["time/learn"] == 4
    assert later["time/fps"] > 0
    assert judged == {"eval/mean_reward": 1.5, "eval/mean_ep_length": 6, "eval/goals": 1.5}


def test_nothing_that_is_known_is_told_again():
    notes = Notes(known=Told(progress=40, evaluated=50))
    for event in (Started(20), progress(40), EVALUATED, progress(60), Evaluated(60, ())):
        notes(event)
    assert [step for step, _ in notes.notes] == [60, 60]


@pytest.mark.parametrize("tool, package", [("tensorboard", "tensorboardX"), ("wandb", "wandb")])
def test_a_package_that_lacks_is_named_before_training_starts(tool, package, monkeypatch, tmp_path):
    for module in (package, *(name for name in sys.modules if name.startswith(f"{package}."))):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(PacerError, match=rf"needs {package}.*: pip install 'pacer-rl\[track\]'"):
        tracker(tool, tmp_path, configuration())


def test_weights_and_biases_are_told_of_one_run_whose_history_only_grows(monkeypatch, tmp_path):
    begun, logged = [], []

    def init(**options):
        begun.append(options)
        return SimpleNamespace(log=lambda figures, step: logged.append((step, *figures)), finish=lambda: None)

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=init))
    with pytest.raises(MemoryError):
        train(tmp_path, observers=[tracker("wandb", tmp_path, configuration()), dies_at(80)])
    train(tmp_path, observers=[tracker("wandb", tmp_path, configuration())])
    steps = [step for step, tag, *_ in logged if tag.startswith("eval/")]
    assert steps == [50, 100, 150, 200]
    steps = [step for step, tag, *_ in logged if not tag.startswith("eval/")]
    assert steps == list(range(20, 201, 20))
    assert begun[0] == begun[1]
    assert begun[0]["resume"] == "allow"
    assert json.dumps(begun[0]["config"])
    assert begun[0]["name"] == "Drift-v0 pacer-m-adaptive seed 0"


def warnings_of(observer, events):
    """What a run is told whose observer this is."""
    said = []
    audience = Audience([observer, lambda event: isinstance(event, Warned) and said.append(event.message)])
    for event in events:
        audience.tell(event)
    return said


@pytest.mark.parametrize("fails", ["init", "log", "finish"])
def test_a_network_that_is_lost_is_told_once_and_the_run_goes_on(fails, monkeypatch, tmp_path):
    calls = []

    def method(name):
        def call(*_, **__):
            calls.append(name)
            if name == fails:
                raise ConnectionError("no route to host")
            return SimpleNamespace(log=method("log"), finish=method("finish"))

        return call

    monkeypatch.setitem(sys.modules, "wandb", SimpleNamespace(init=method("init")))
    events = [Started(0), progress(20), progress(40), EVALUATED, Finished(50, "finished")]
    said = warnings_of(WandB(tmp_path, every=20), events)
    lost = "ConnectionError('no route to host')"
    assert said == [f"the observer WandB failed and is no longer told anything: {lost}"]
    assert calls.count(fails) == 1


@contextmanager
def files_of_at_most(size):
    """A disk that is full: the kernel refuses to let any file grow beyond this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 100])  # nothing at all can be written, or not every figure
def test_a_disk_that_is_full_is_told_once_and_the_run_goes_on(size, tmp_path):
    pytest.importorskip("tensorboardX")
    from pacer.observers.tensorboard import TensorBoard

    with files_of_at_most(size):
        events = [Started(0), progress(20), progress(40), EVALUATED, Finished(50, "finished")]
        said = warnings_of(TensorBoard(tmp_path, every=20), events)
    (message,) = said
    assert message.startswith("the observer TensorBoard failed and is no longer told anything: OSError(27")


@pytest.mark.slow
def test_weights_and_biases_itself_takes_a_run_offline(monkeypatch, tmp_path):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB__SERVICE_WAIT", "300")  # seconds for its process to start, on a busy machine
    train(tmp_path / "run", steps=100, observers=[WandB(tmp_path / "tracked", every=20)])
    (file,) = (tmp_path / "tracked").rglob("*.wandb")
    assert b"train/critic_loss" in file.read_bytes()
    assert b"eval/mean_reward" in file.read_bytes()
