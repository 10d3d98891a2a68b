"""Speed and time left: of updates that were made, compilation and evaluations included where they belong."""

import math

import pytest

from pacer.observers import Evaluated, Phase, Progress, Started, Warned
from pacer.observers.pace import Pace
from tests.tiny_runs import configuration

LEARNED = {"critic_loss": 1.0}


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def run():
    """A pace of 200 steps in blocks of 10 with 2 updates, evaluated every 50; events and how long each took to come."""
    clock = Clock()
    pace = Pace(configuration(), clock)

    def tell(*events):
        for seconds, event in events:
            clock.now += seconds
            pace(event)
        return pace

    return tell


def block(step, seconds, metrics=LEARNED, episodes=0):
    return seconds, Progress(step, episodes, 0.0, metrics, {"collect": 0.5})


def test_nothing_is_known_before_something_was_learned(run):
    pace = run((0, Started(0)), block(10, 1, {}), block(20, 1, {}))
    assert (math.isnan(pace.updates_per_second), math.isnan(pace.left), pace.elapsed) == (True, True, 2)


def test_the_block_that_compiles_has_no_part_in_the_speed(run):
    pace = run((0, Started(0)), block(10, 1, {}), (0, Phase("compiling")), block(20, 60))
    assert math.isnan(pace.left)
    pace = run(block(30, 2), (1, Warned("odd")), block(40, 1))
    assert (pace.updates_per_second, pace.left, pace.elapsed) == (1.0, 16 * 2, 65)


def test_evaluations_are_part_of_the_time_left_and_of_no_speed(run):
    evaluation = [(0.0, Phase("evaluating")), (30.0, Evaluated(50, ()))]
    pace = run((0, Started(0)), block(30, 60), block(40, 2), block(50, 2), *evaluation)
    assert (pace.updates_per_second, pace.left) == (1.0, 15 * 2 + 3 * 30)
    pace = run(block(60, 2))
    assert (pace.updates_per_second, pace.left) == (1.0, 14 * 2 + 3 * 30)


def test_the_first_evaluation_is_guessed_from_training(run):
    pace = run((0, Started(0)), block(30, 60), block(40, 2, episodes=4))
    assert pace.left == pytest.approx(16 * 2 + 4 * 2 * 2 * (0.5 / 10 * 10))  # two modes of two episodes of 10 steps


def test_at_the_end_nothing_is_left(run):
    pace = run((0, Started(190)), block(190, 60), block(200, 2), (0.0, Phase("evaluating")), (30.0, Evaluated(200, ())))
    assert pace.left == 0
