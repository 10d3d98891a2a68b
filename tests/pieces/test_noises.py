"""Noise that lasts: standard normal at every step, as correlated as it says, and the same from the same seed."""

from itertools import islice

import numpy as np
import pytest
from scipy import stats

from pacer.pieces import Autoregressive, Held, Pink, White

NOISES = {"white": White(), "held": Held(), "autoregressive": Autoregressive(0.8), "pink": Pink(200)}


def drawn(noise, steps, size=3, seed=0):
    return np.stack(list(islice(noise.stream(np.random.default_rng(seed), size), steps)))


@pytest.mark.parametrize("name", NOISES)
def test_the_noise_of_a_step_is_standard_normal(name):
    """Over many episodes, early and late in them."""
    episodes = np.stack([drawn(NOISES[name], 60, size=2, seed=seed) for seed in range(1_500)])
    for step in (0, 7, 59):
        for dimension in range(2):
            assert stats.kstest(episodes[:, step, dimension], "norm").pvalue > 1e-3
    assert abs(np.corrcoef(episodes[:, 7].T)[0, 1]) < 0.1


@pytest.mark.parametrize("name", NOISES)
def test_the_same_seed_gives_the_same_noise_in_float32(name):
    some, other = drawn(NOISES[name], 300), drawn(NOISES[name], 300)
    np.testing.assert_array_equal(some, other)
    assert some.dtype == np.float32
    assert not np.array_equal(some, drawn(NOISES[name], 300, seed=1))


def test_autoregressive_noise_forgets_by_its_correlation():
    noise = drawn(Autoregressive(0.8), 40_000, size=1)[:, 0]
    for lag in (1, 3):
        assert np.corrcoef(noise[:-lag], noise[lag:])[0, 1] == pytest.approx(0.8**lag, abs=0.03)


def test_held_noise_is_kept_as_often_as_its_law_says():
    noise = drawn(Held(longest=4, exponent=1.0), 40_000, size=1)[:, 0]
    ends = np.flatnonzero(np.diff(noise)) + 1
    lengths = np.diff(ends)
    expected = np.array([1, 1 / 2, 1 / 3, 1 / 4]) / sum([1, 1 / 2, 1 / 3, 1 / 4])
    found = np.bincount(lengths, minlength=5)[1:5] / len(lengths)
    np.testing.assert_allclose(found, expected, atol=0.02)


def test_pink_noise_has_a_power_that_falls_as_one_over_the_frequency():
    segments = drawn(Pink(256), 256 * 400, size=1).reshape(400, 256)
    power = (np.abs(np.fft.rfft(segments)) ** 2).mean(0)[2:100]
    slope = np.polyfit(np.log(np.arange(2, 100)), np.log(power), 1)[0]
    assert slope == pytest.approx(-1.0, abs=0.05)


@pytest.mark.parametrize("make", [lambda: Held(longest=0), lambda: Autoregressive(1.0), lambda: Pink(1)])
def test_impossible_numbers_are_refused(make):
    with pytest.raises(ValueError, match="expected"):
        make()
