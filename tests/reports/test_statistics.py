"""Statistics of scores: by hand, and against rliable where it is installed."""

import numpy as np
import pytest

from pacer.reports import statistics as stats


@pytest.fixture
def scores():
    """Two algorithms on four tasks: one row per task, one column per seed."""
    rng = np.random.default_rng(3)
    return rng.normal(1.0, 0.5, (4, 7)), rng.normal(0.8, 0.5, (4, 5)).round(1)


def test_iqm_leaves_out_a_quarter_at_each_end():
    assert stats.iqm([np.array([100.0, 1, 2, -50])]) == 1.5
    assert stats.iqm([np.array([1.0, 2]), np.array([3.0])]) == 2


def test_improvement_counts_ties_as_half():
    ours, theirs = [np.array([1.0, 2])], [np.array([1.0, 0])]
    assert stats.improvement(ours, theirs) == (0.5 + 1 + 1 + 1) / 4
    assert stats.improvement(ours, ours) == 0.5


def test_an_estimate_counts_its_scores_and_leaves_out_what_is_missing():
    made = stats.estimate(stats.mean, [[1.0, 3.0, np.nan], [5.0, 7.0]])
    assert (made.value, made.count) == (4, 4)
    assert made.low < made.value < made.high
    assert made == stats.estimate(stats.mean, [[1.0, 3.0], [5.0, 7.0]])


@pytest.mark.parametrize("tasks", [[[1.0]], [[1.0, 2.0], [3.0]]])
def test_one_seed_has_no_interval(tasks):
    made = stats.estimate(stats.mean, tasks)
    assert np.isfinite(made.value)
    assert np.isnan(made.low)
    assert np.isnan(made.high)


@pytest.mark.parametrize("tasks", [[], [[1.0, 2.0], []], [[np.nan]]])
def test_nothing_is_estimated_where_a_task_has_no_score(tasks):
    assert np.isnan(stats.estimate(stats.iqm, tasks).value)


def test_the_interval_of_a_mean_covers_it_as_often_as_it_says():
    rng = np.random.default_rng(0)
    made = [stats.estimate(stats.mean, [rng.normal(size=30)], resamples=500) for _ in range(300)]
    assert 0.90 < np.mean([one.low < 0 < one.high for one in made]) < 0.98


@pytest.mark.parametrize("seeds, share", stats.COVERAGE.items())
def test_intervals_of_few_seeds_are_as_narrow_as_is_said(seeds, share):
    draws = np.random.default_rng(seeds).normal(size=(600, seeds))
    made = [stats.estimate(stats.iqm, [scores], resamples=400) for scores in draws]
    assert np.mean([one.low <= 0 <= one.high for one in made]) == pytest.approx(share, abs=0.05)
    assert f"of {seeds} they hold the true value in {share:.0%} of all cases" in stats.NARROW


def test_one_seed_against_another_says_nothing():
    assert np.isnan(stats.chance([[2.0]], [[1.0]]).value)
    assert np.isnan(stats.chance([[2.0, 3.0], [2.0, np.nan]], [[1.0, 0.0], [1.0, 0.0]]).value)
    assert stats.chance([[2.0, 3.0]], [[1.0, 0.0]]).value == 1.0


def test_a_profile_falls_from_one_to_none(scores):
    made = stats.estimate(lambda tasks: stats.profile(tasks, [-10.0, 1.0, 10.0]), scores[0])
    assert made.value.tolist() == [1, np.mean(scores[0] > 1), 0]
    assert made.low.shape == made.high.shape == (3,)


def test_cvar_is_the_mean_of_the_worst_and_takes_parts():
    assert stats.cvar([4.0, 1, 3, 2], 0.5) == 1.5
    assert stats.cvar([4.0, 1, 3, 2], 1.0) == 2.5
    assert stats.cvar([1.0, 2], 0.75) == pytest.approx((1 + 0.5 * 2) / 1.5)
    assert stats.cvar([7.0], 0.1) == 7
    assert stats.quantiles([1.0, 2, 3], [0, 0.5, 1]).tolist() == [1, 2, 3]


@pytest.mark.slow
class TestAgainstRliable:
    """rliable's matrices have a row per seed: ours, turned."""

    @pytest.fixture(autouse=True)
    def rliable(self):
        self.library = pytest.importorskip("rliable.library", reason="pip install 'pacer-rl[rliable]'")
        self.metrics = pytest.importorskip("rliable.metrics")

    @pytest.mark.parametrize("shape", [(1, 1), (1, 7), (3, 3), (4, 7), (10, 5), (26, 2)])
    def test_values(self, shape):
        rng = np.random.default_rng(shape[0])
        for _ in range(20):
            ours, theirs = rng.normal(1, 1, shape), rng.normal(1, 1, (shape[0], 4)).round(1)
            for mine, other in [
                (stats.iqm, self.metrics.aggregate_iqm),
                (stats.mean, self.metrics.aggregate_mean),
                (stats.median, self.metrics.aggregate_median),
                (stats.optimality_gap, self.metrics.aggregate_optimality_gap),
            ]:
                assert mine(ours) == pytest.approx(other(ours.T), abs=1e-12)
            expected = self.metrics.probability_of_improvement(ours.round(1).T, theirs.T)
            assert stats.improvement(ours.round(1), theirs) == pytest.approx(expected, abs=1e-12)
            thresholds = np.linspace(-1, 3, 21)
            expected = self.library.score_distributions(ours.T, thresholds)
            np.testing.assert_allclose(stats.profile(ours, thresholds), expected, atol=1e-12)

    def test_intervals(self, scores):
        ours, theirs = scores
        for metric, other in [
            (stats.iqm, self.metrics.aggregate_iqm),
            (stats.mean, self.metrics.aggregate_mean),
            (stats.median, self.metrics.aggregate_median),
            (stats.optimality_gap, self.metrics.aggregate_optimality_gap),
        ]:
            self.compare(stats.estimate(metric, ours, resamples=20_000), ours.T, other)
        self.compare(
            stats.estimate(stats.improvement, ours, theirs, resamples=20_000),
            [ours.T, theirs.T],
            self.metrics.probability_of_improvement,
        )

    def compare(self, made, theirs, metric):
        np.random.seed(0)  # rliable draws from the global generator
        _, intervals = self.library.get_interval_estimates(
            {"x": theirs}, lambda *scores: np.array([metric(*scores)]), reps=2_000
        )
        low, high = intervals["x"][:, 0]
        error = 0.08 * (high - low)  # the deviation of a 2.5 % quantile of 2,000 is about 0.015 of the width
        assert made.low == pytest.approx(low, abs=error)
        assert made.high == pytest.approx(high, abs=error)
