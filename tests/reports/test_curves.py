"""Curves of seeds that were evaluated at different steps, or stopped early."""

import numpy as np
import pytest

from pacer.reports import curves
from pacer.reports.curves import Curve


def made(*values, every=10):
    return Curve(np.arange(1, len(values) + 1) * every, np.array(values, float))


def test_a_curve_is_the_mean_of_the_episodes_of_its_mode():
    evaluations = {
        "step": np.array([10, 10, 10, 20]),
        "mode": np.array(["greedy", "greedy", "sampled", "greedy"]),
        "return": np.array([1.0, 3.0, 9.0, 4.0]),
        "goals": np.array([0.0, 1.0, 9.0, 2.0]),
    }
    one = curves.curve(evaluations)
    assert (one.steps.tolist(), one.values.tolist(), one.end) == ([10, 20], [2, 4], 20)
    assert curves.curve(evaluations, "sampled").values.tolist() == [9]
    assert curves.curve(evaluations, column="goals").values.tolist() == [0.5, 2]
    assert curves.curve(evaluations, "unknown").values.size == 0


def test_scores_of_one_curve():
    one = made(0, 4, 2)
    assert (curves.final(one), curves.best(one), curves.area(one)) == (2, 4, 2.5)
    assert curves.final(made(*range(20))) == 14.5
    assert curves.steps_to(one, 3) == 20
    assert curves.steps_to(one, 5) == np.inf
    assert np.isnan(curves.final(made()))
    assert np.isnan(curves.area(made()))
    assert curves.area(made(3)) == 3


def test_both_readings_of_max_average_return():
    pair = [made(0, 4, 0), made(2, 0, 6)]
    assert curves.best_of_mean(pair) == 3
    assert curves.mean_of_best(pair) == 5
    assert curves.best_of_mean([made(1, 2, 9), made(3, 3)]) == 2.5
    assert np.isnan([curves.best_of_mean([]), curves.mean_of_best([made()])]).all()


def test_a_band_has_the_seeds_of_each_point():
    band = curves.band([made(0, 2, 4), made(2, 4), made(8, every=20)])
    assert band.steps.tolist() == [10, 20, 30]
    assert band.seeds.tolist() == [2, 3, 1]
    assert band.mean.tolist() == [1, pytest.approx(14 / 3), 4]
    assert np.isnan(band.low).tolist() == [False, False, True]
    assert (band.low[:2] < band.mean[:2]).all()
    assert (band.high[:2] > band.mean[:2]).all()


def test_no_curves_are_an_empty_band():
    assert curves.band([]).steps.size == curves.band([made()]).steps.size == 0


def test_smoothing_narrows_at_the_ends_and_invents_nothing():
    assert curves.smooth([0.0, 3, 6, 0], 3).tolist() == [1.5, 3, 3, 3]
    assert curves.smooth([1.0, 2, 3], 1).tolist() == [1, 2, 3]
    np.testing.assert_equal(curves.smooth([1.0, np.nan, 3], 3), [1, np.nan, 3])
