"""The logs: which blocks get a row, what is in it, and where the time goes."""

import math

import pytest

from pacer.observers import Episode, Evaluated, Progress, Started, Warned
from pacer.observers.csv_log import CsvLog
from pacer.runs.folder import RunFolder
from pacer.runs.reader import Run
from tests.tiny_runs import configuration


@pytest.fixture
def log(tmp_path):
    folder = RunFolder(tmp_path, {"steps": 90}, 90, True, {})
    folder.begin()
    yield CsvLog(folder, configuration(steps=90, log_every=40))
    folder.close()


def progress(step, metrics=None, collect=1.0):
    metrics = {"critic_loss": 1 / 3} if metrics is None else metrics
    return Progress(step, step // 20, 2.5, metrics, {"collect": collect, "learn": 2.0, "evaluate": 0.0})


def test_rows_come_when_they_are_due_and_hold_the_time_since_the_last(log, tmp_path):
    for step in range(10, 100, 10):
        log(progress(step))
    run = Run(tmp_path)
    assert (
        (tmp_path / "progress.csv").read_text().startswith(f"step,episodes,train_return,critic_loss\n40,2,2.5,{1 / 3}")
    )
    assert run.progress()["step"].tolist() == [40, 80, 90]
    assert run.timings()["step"].tolist() == [40, 80, 90]
    assert run.timings()["collect"].tolist() == [4, 4, 1]
    assert run.timings()["learn"].tolist() == [8, 8, 2]


def test_blocks_without_learning_leave_no_row_but_their_time_counts(log, tmp_path):
    log(Started(0))
    for step in range(10, 50, 10):
        log(progress(step, metrics={}))
    assert not (tmp_path / "progress.csv").exists()
    for step in range(50, 90, 10):
        log(progress(step, metrics={"weight": math.nan}))
    assert (tmp_path / "progress.csv").read_text() == "step,episodes,train_return,weight\n80,4,2.5,nan\n"
    assert Run(tmp_path).timings()["collect"].tolist() == [8]


def test_an_evaluation_has_a_row_per_episode(log, tmp_path):
    log(Evaluated(50, (Episode("greedy", 0, 1.5, 7, 1.25), Episode("sampled", 0, -0.1, 8, -0.05))))
    log(Warned("nothing to log"))
    assert (tmp_path / "evaluations.csv").read_text() == (
        "step,mode,episode,return,length,discounted\n50,greedy,0,1.5,7,1.25\n50,sampled,0,-0.1,8,-0.05\n"
    )


def test_what_the_environment_measures_are_further_columns(log, tmp_path):
    log(Evaluated(50, (Episode("greedy", 0, 1.5, 7, 1.25, {"goals": 2.0, "speed": 0.1}),)))
    assert (tmp_path / "evaluations.csv").read_text() == (
        "step,mode,episode,return,length,discounted,goals,speed\n50,greedy,0,1.5,7,1.25,2.0,0.1\n"
    )
    assert Run(tmp_path).evaluations()["goals"].tolist() == [2.0]


def test_a_log_that_was_begun_with_fewer_columns_keeps_them(log, tmp_path):
    file = tmp_path / "evaluations.csv"
    file.write_text("step,mode,episode,return,length\n40,greedy,0,1.0,7\n")
    log(Evaluated(50, (Episode("greedy", 0, 1.5, 7, 1.25),)))
    assert file.read_text().endswith("\n40,greedy,0,1.0,7\n50,greedy,0,1.5,7\n")


def test_the_log_is_part_of_the_run():
    assert CsvLog.essential
