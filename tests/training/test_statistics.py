"""Running moments against NumPy in float64, however the observations are split into blocks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pacer.pieces.scaling import CLIP
from pacer.training.statistics import SMALLEST_DEVIATION, Moments


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.floats(-1e6, 1e6), st.floats(1e-3, 1e4))
@settings(max_examples=60, deadline=None)
def test_any_split_gives_the_moments_of_the_whole(sizes, centre, scale):
    obs = np.random.default_rng(sum(sizes)).normal(centre, scale, (sum(sizes), 3)).astype(np.float32)
    moments = Moments.empty(3)
    for block in np.split(obs, np.cumsum(sizes)[:-1]):
        moments = moments.fold(block)
    whole = obs.astype(np.float64)
    assert moments.seen == len(obs)
    np.testing.assert_allclose(moments.mean, whole.mean(0), rtol=1e-9, atol=1e-9 * scale)
    # Float32 observations around a large mean differ by steps of up to centre / 2**23, exactly as NumPy sees them.
    np.testing.assert_allclose(moments.squares, whole.var(0) * len(obs), rtol=1e-6, atol=1e-9 * centre**2)


def test_what_the_networks_see_has_mean_zero_and_deviation_one():
    obs = np.random.default_rng(0).normal([5.0, -300.0], [0.1, 40.0], (4_000, 2)).astype(np.float32)
    seen = Moments.empty(2).fold(obs).scaling().normalise(obs, np)
    assert seen.dtype == np.float32
    np.testing.assert_allclose(seen.mean(0), 0.0, atol=2e-3)
    np.testing.assert_allclose(seen.std(0), 1.0, atol=2e-3)
    assert Moments.empty(2).fold(obs).scaling().normalise(np.float32([1e9, -1e9]), np).tolist() == [CLIP, -CLIP]


def test_raw_observations_are_not_even_clipped_and_rewards_keep_their_unit():
    raw = Moments.empty(2).fold(np.float32([[1.0, 2.0], [3.0, 5.0]])).scaling(7.0).raw()
    assert raw.normalise(np.float32([1e9, -0.1]), np).tolist() == np.float32([1e9, -0.1]).tolist()
    assert raw.unit == 7.0


def test_a_constant_dimension_stays_at_zero():
    moments = Moments.empty(2)
    for seed in range(30):
        block = np.random.default_rng(seed).normal(size=(50, 2)).astype(np.float32)
        block[:, 1] = np.float32(0.1)
        moments = moments.fold(block)
    scaling = moments.scaling()
    assert np.isfinite(scaling.inverse_deviation).all()
    assert scaling.inverse_deviation[1] == np.float32(1 / SMALLEST_DEVIATION)
    np.testing.assert_allclose(scaling.normalise(np.float32([0.0, 0.1]), np)[1], 0.0, atol=1e-3)


def test_before_anything_was_seen_observations_pass_unchanged():
    obs = np.float32([0.5, -2.0])
    np.testing.assert_array_equal(Moments.empty(2).scaling().normalise(obs, np), obs)
