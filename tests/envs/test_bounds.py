"""Between [-1, 1]^A and an environment's own bounds, there and back."""

import numpy as np

from pacer.envs.bounds import from_box, to_box

LOW, HIGH = np.array([-0.5, 0.0], np.float32), np.array([1.0, 3.0], np.float32)


def test_the_edges_and_the_middle_are_where_they_should_be() -> None:
    inner = np.array([[-1, -1], [0, 0], [1, 1]], np.float32)
    np.testing.assert_array_equal(to_box(inner, LOW, HIGH), [LOW, (LOW + HIGH) / 2, HIGH])
    np.testing.assert_array_equal(from_box([LOW, (LOW + HIGH) / 2, HIGH], LOW, HIGH), inner)


def test_there_and_back_is_the_same_action() -> None:
    inner = np.random.default_rng(0).uniform(-1, 1, (100, 2)).astype(np.float32)
    np.testing.assert_allclose(from_box(to_box(inner, LOW, HIGH), LOW, HIGH), inner, atol=1e-6)


def test_what_lies_outside_counts_as_lying_on_the_edge() -> None:
    np.testing.assert_array_equal(from_box([9.0, -9.0], LOW, HIGH), [1, -1])
    np.testing.assert_array_equal(to_box(np.array([9.0, -9.0]), LOW, HIGH), [HIGH[0], LOW[1]])


def test_the_type_is_the_environments_own() -> None:
    assert to_box(np.zeros(2, np.float32), LOW, HIGH, np.float64).dtype == np.float64
    assert from_box([0.0, 1.0], LOW, HIGH).dtype == np.float32
