"""The weights: which way they move, and that they stay in their boxes."""

import jax.numpy as jnp
import numpy as np
import pytest

from pacer.pieces import MMD, Adam, Dual, Fixed, MovingDual, Sliced, Space, Wasserstein
from pacer.pieces.encouragers.base import penalty_limits

SPACE = Space(3, 2)


def after(weight, penalty, updates, blocks=0, state=None):
    state = weight.init(MMD(samples=16), SPACE) if state is None else state
    for _ in range(updates):
        state = weight.update(state, jnp.asarray(penalty))
    for _ in range(blocks):
        state = weight.end_block(state)
    return state


def test_fixed_never_moves():
    weight = Fixed(0.3)
    assert weight.value(after(weight, 100.0, 5, 5)) == pytest.approx(0.3)


def test_dual_follows_the_sign_of_penalty_minus_bound():
    weight = Dual(bound=1.0, bound_per_dimension=0.5, optimiser=Adam(0.01))
    initial = weight.value(weight.init(MMD(), SPACE))
    assert weight.value(after(weight, 2.1, 10)) > initial  # the bound is 1 + 2 * 0.5
    assert weight.value(after(weight, 1.9, 10)) < initial


def test_dual_step_is_adam_on_the_log_weight():
    weight = Dual(initial=0.5, bound=1.0, optimiser=Adam(0.01))
    # Adam's first step is the learning rate times the gradient's sign.
    assert weight.value(after(weight, 3.0, 1)) == pytest.approx(0.5 * np.exp(0.01), rel=1e-4)


def test_moving_weight_stays_in_its_range():
    weight = MovingDual(initial=1.0, range=(0.5, 2.0), optimiser=Adam(0.1))
    assert weight.value(after(weight, 10.0, 30)) == pytest.approx(2.0, rel=1e-5)
    assert weight.value(after(weight, 0.0, 30)) == pytest.approx(0.5, rel=1e-5)


def test_bound_moves_only_while_the_weight_is_at_an_end():
    weight = MovingDual(initial=1.0, range=(0.5, 2.0), step=0.01, optimiser=Adam(0.1))
    start = weight.init(MMD(samples=16), SPACE)
    assert weight.end_block(start)["bound"] == start["bound"]
    high = after(weight, 10.0, 30, blocks=3)
    assert high["bound"] == pytest.approx(float(start["bound"]) + 0.03, rel=1e-4)
    low = after(weight, 0.0, 0, blocks=2, state={**high, "log": jnp.log(0.5)})
    assert low["bound"] == pytest.approx(float(start["bound"]) + 0.01, rel=1e-4)


def test_bound_stays_between_what_uniform_and_corner_policies_show():
    weight = MovingDual(initial=1.0, range=(0.5, 2.0), step=1.0, optimiser=Adam(0.1))
    start = weight.init(MMD(samples=16), SPACE)
    assert after(weight, 10.0, 30, blocks=9)["bound"] == pytest.approx(float(start["highest"]))
    assert after(weight, 0.0, 30, blocks=9)["bound"] == pytest.approx(float(start["lowest"]))
    assert 0 < start["lowest"] < start["highest"]


@pytest.mark.parametrize("encourager", [MMD(), Wasserstein(), Sliced()], ids=lambda e: type(e).__name__)
def test_the_first_bound_tells_a_diverse_policy_from_a_single_action(encourager):
    """In many dimensions too, where a few samples of a uniform policy are far from others."""
    floor, centre, _ = penalty_limits(encourager, Space(1, 17))
    bound = MovingDual().init(encourager, Space(1, 17))["bound"]
    assert bound == pytest.approx(float(0.7 * floor + 0.3 * centre), rel=1e-5)
    assert floor < centre


def test_impossible_range_is_refused():
    with pytest.raises(ValueError, match="0 < low <= initial <= high"):
        MovingDual(initial=3.0, range=(0.5, 2.0))
