"""Several environments at once: in turn or in processes the same bytes, and errors that say the same."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.training import workers as module
from pacer.training.watch import Watch
from pacer.training.workers import Workers, open_worlds
from pacer.training.worlds import InTurn, make_worlds
from tests.tiny_runs import newest, results, stop_at, train
from tests.worlds import Breaks, Drift, Nowhere

pytestmark = pytest.mark.xdist_group("training")
ENVS = 4


@pytest.fixture
def opened():
    """Workers that are closed when the test ends."""
    made = []

    def open_workers(make=Drift, count=3, processes=2, watch=None):
        made.append(Workers(make, "Own-v0", count, processes, watch))
        return made[-1]

    yield open_workers
    for each in made:
        each.close()


def played(worlds):
    """What five worlds answer, some rounds long."""
    answers = worlds.call([(k, "reset", (k, "here")) for k in range(worlds.count)])
    for number in range(3):
        given = [(k, "step", (np.float32([0.1 * k, number / 4]), "here")) for k in range(number, worlds.count)]
        answers += [part for answer in worlds.call(reversed(given)) for part in answer]
    return answers


def test_processes_answer_as_worlds_in_turn_do_whoever_is_asked_in_whatever_order(opened):
    expected = played(InTurn(make_worlds(Drift, "Own-v0", 5)))
    for a, b in zip(played(opened(count=5)), expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_there_are_no_more_processes_than_worlds(opened):
    assert len(opened(count=2, processes=4)._processes) == 2


def test_a_worker_knows_no_jax():
    code = "import sys, pacer.training.workers; sys.exit('jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_errors_of_the_environment_come_back_as_they_are(opened):
    def fall_over(worlds):
        for _ in range(9):
            worlds.call([(1, "reset", (0, "there")), (0, "reset", (0, "there"))])
            worlds.call([(k, "step", (np.zeros(2, np.float32), "step 5 of a test")) for k in (0, 1)])

    def where(worlds):
        with pytest.raises(PacerError) as error:
            fall_over(worlds)
        return str(error.value)

    said = where(opened(Breaks, count=2))
    assert said == where(InTurn(make_worlds(Breaks, "Own-v0", 2)))
    assert "failed in step([0.0, 0.0]) at step 5 of a test: RuntimeError('the simulator fell over')" in said


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Drift(), r"Own-v0 cannot be made in workers: .*give its id, or a function on the top level"),
        (Nowhere, r"an environment could not be made in a worker: OSError\('no display'\)"),
    ],
)
def test_what_cannot_be_made_there_is_refused(opened, make, message):
    with pytest.raises(PacerError, match=message):
        opened(make)


class Noting(Watch):
    def __init__(self, limit):
        super().__init__(limit)
        self.begun = []

    def begin(self, environment, method, given, where):
        self.begun.append((environment, method))
        super().begin(environment, method, given, where)


def test_the_limit_of_a_call_is_not_one_for_all_that_a_worker_is_asked_at_once(opened):
    """An episode that is played again is a call for each of its steps, and so are those of several worlds."""
    (alone,) = make_worlds(Drift, "Own-v0", 1)
    actions = np.full((3, 2), 0.1, np.float32)
    first = alone.reset(0, "here")
    answers = [alone.step(action, "here") for action in actions]
    past = np.stack([first, *(answer[0] for answer in answers)]), actions, np.float32([answer[1] for answer in answers])
    watch = Noting(limit=1_000)
    worlds = opened(count=2, processes=1, watch=watch)
    watch.begun.clear()
    again = worlds.call([(k, "repeat", (0, *past, sum(answer[1] for answer in answers), "here")) for k in range(2)])
    np.testing.assert_array_equal(again, [past[0][-1]] * 2)
    assert [call for call in watch.begun if call[1] == "step"] == [("Own-v0 in process 0", "step")] * 6


def test_a_worker_that_dies_is_reported(opened):
    worlds = opened()
    worlds.call([(0, "reset", (0, "here"))])
    worlds._processes[1].kill()
    with pytest.raises(PacerError, match=r"process 1 of Own-v0 ended with code -9. What was learned so far is kept"):
        worlds.call([(k, "reset", (0, "here")) for k in range(3)])


def test_workers_leave_signals_to_the_run_and_end_with_it(opened):
    worlds = opened()
    for process in worlds._processes:
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGTERM)
    assert len(worlds.call([(k, "reset", (0, "here")) for k in range(3)])) == 3
    worlds.close()
    assert [process.exitcode for process in worlds._processes] == [0, 0]


def test_a_worker_that_hangs_is_not_waited_for(opened, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    worlds = opened()
    os.kill(worlds._processes[0].pid, signal.SIGSTOP)
    worlds.close()
    assert worlds._processes[0].exitcode == -signal.SIGKILL


def test_a_function_that_returns_one_environment_twice_is_refused():
    env = Drift()
    worlds = open_worlds(lambda: env, "Own-v0", 1, 0, Watch(), print)
    with pytest.raises(PacerError, match="the same environment twice"), worlds:
        pass


@pytest.fixture(scope="module")
def in_turn(tmp_path_factory):
    """A run of several environments in this process; blocks of 10 do not divide into rounds of 4."""
    folder = tmp_path_factory.mktemp("in_turn")
    train(folder, envs=ENVS)
    return results(folder)


def test_every_environment_has_its_own_experience(in_turn, unbroken):
    files = [in_turn[max(name for name in in_turn if name.startswith(f"replay/{lane}-"))] for lane in range(ENVS)]
    assert len(set(files)) == ENVS
    assert in_turn["progress.csv"] != unbroken["progress.csv"]


def test_the_first_episode_of_the_first_lane_starts_as_that_of_a_run_with_one_environment(tmp_path):
    for envs in (1, ENVS):
        train(tmp_path / str(envs), envs=envs, steps=10, evaluation_episodes=1)
    first, second = ((tmp_path / str(envs) / "replay" / "0-0.bin").read_bytes()[:12] for envs in (1, ENVS))
    assert first == second


@pytest.mark.parametrize("processes", [1, 3])
def test_workers_give_the_bytes_of_stepping_in_turn(in_turn, tmp_path, processes):
    train(tmp_path, envs=ENVS, env_workers=processes)
    assert results(tmp_path) == in_turn


def test_stops_with_and_without_workers_change_nothing(in_turn, tmp_path):
    for step, processes in ((10, 0), (60, 2), (70, 0), (130, 3), (190, 0)):
        stop_at(tmp_path, step, envs=ENVS, env_workers=processes)
        assert newest(tmp_path).name == str(step)
    train(tmp_path, envs=ENVS)
    assert results(tmp_path) == in_turn


@pytest.mark.usefixtures("untried")
def test_a_world_that_breaks_down_in_a_worker_loses_nothing(in_turn, tmp_path):
    with pytest.raises(PacerError, match=r"at step \d+ of training \(environment \d, episode \d+\): RuntimeError"):
        train(tmp_path, make=Breaks, envs=ENVS, env_workers=2)
    train(tmp_path, envs=ENVS)
    assert results(tmp_path) == in_turn


def test_more_environments_than_steps_in_a_block(tmp_path):
    train(tmp_path / "in turn", envs=17, steps=60)
    train(tmp_path / "at once", envs=17, steps=60, env_workers=2)
    assert results(tmp_path / "in turn") == results(tmp_path / "at once")
