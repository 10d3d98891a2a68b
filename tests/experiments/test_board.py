"""How far an experiment is, and how long it will take."""

import math
from io import StringIO

import pytest
from rich.console import Console

from pacer.experiments.board import Board
from pacer.experiments.plan import Choices, plan
from pacer.experiments.progress import pace, steps_done, time_left
from pacer.runs.files import save_json


@pytest.fixture
def jobs(tmp_path):
    return plan(Choices("quick", runs=tmp_path))


def write(job, log, text):
    job.folder.mkdir(parents=True, exist_ok=True)
    (job.folder / log).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "text, steps",
    [
        ("", 0),
        ("step,episodes\n", 0),
        ("step,episodes\n1000,5\n2000,9\n", 2000),
        ("step,episodes\n1000,5\n2000,9", 1000),
        ("step,episodes\n9000,5\n", 5000),
    ],
)
def test_steps_are_read_from_the_log(jobs, text, steps):
    assert steps_done(jobs[0]) == 0
    write(jobs[0], "progress.csv", text)
    assert steps_done(jobs[0]) == steps


def test_the_pace_leaves_out_the_first_entry(jobs):
    assert math.isnan(pace(jobs[0]))
    write(jobs[0], "config.json", "{}")
    write(jobs[0], "timings.csv", "step,collect,learn,evaluate\n1000,1,90,0\n")
    assert math.isnan(pace(jobs[0]))
    write(jobs[0], "timings.csv", "step,collect,learn,evaluate\n1000,1,90,0\n2000,1,6,0\n3000,1,6,4\n")
    assert pace(jobs[0]) == pytest.approx(18 / 2000)


def test_time_left_goes_by_the_runs_most_alike(jobs):
    done = {job.number: 0 for job in jobs} | {0: 5000, 1: 5000}
    assert math.isnan(time_left(jobs, done, {}, 2))
    paces = {0: 0.01, 1: 0.002}  # pacer-m-adaptive and sac on the first environment
    assert time_left(jobs, done, paces, 2) == pytest.approx(5000 * (3 * 0.01 + 3 * 0.002) / 2)
    assert time_left(jobs, done, paces, 99) == pytest.approx(50)  # no less than the longest run


def test_what_is_said_off_a_terminal(jobs, capsys):
    save_json(_made(jobs[0]) / "DONE", {"steps": 5000})
    with Board(jobs, 2) as board:
        board.look(jobs[1:2])
        board.ended(jobs[1], "it fell over")
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "1 of 8 runs done; 5,000 of 40,000 steps"
    assert told[1].endswith("sac seed 0: failed: it fell over")
    assert told[2] == "1 of 8 runs done, 1 failed; 5,000 of 40,000 steps"


def test_the_table_fits_a_terminal(jobs):
    board, out = Board(jobs, 2), StringIO()
    Console(file=out, width=80).print(board._table(jobs[:2]))
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert "Pendulum-v1" in lines[0]
    assert "seed 0" in lines[0]


def _made(job):
    job.folder.mkdir(parents=True)
    return job.folder
