"""The weights: which way they move, and that they stay in their boxes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer.pieces import (
    MMD,
    Actions,
    Adam,
    Balanced,
    Dual,
    Fixed,
    FlooredDual,
    MovingDual,
    Repulsion,
    Seen,
    Sliced,
    Space,
    Wasserstein,
    WidthDual,
)
from pacer.pieces.encouragers.base import penalty_limits

SPACE = Space(3, 2)


def after(weight, penalty, updates, blocks=0, state=None, force=1.0, spread=0.5):
    encourager = Repulsion() if isinstance(weight, WidthDual) else MMD(samples=16)
    state = weight.init(encourager, SPACE) if state is None else state
    for _ in range(updates):
        state = weight.update(state, Seen(jnp.asarray(penalty), jnp.asarray(force), jnp.asarray(spread)))
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


def test_balanced_weight_is_a_share_of_the_force():
    """Rewards a hundred times as large make forces and weight so, and the share the same."""
    weight = Balanced(spread=0.5, initial=0.2)
    assert weight.value(weight.init(MMD(), SPACE)) == 0.0
    assert weight.value(after(weight, 1.0, 3, force=7.0)) == pytest.approx(0.2 * 7.0, rel=1e-6)
    assert weight.value(after(weight, 1.0, 3, force=700.0)) == pytest.approx(0.2 * 700.0, rel=1e-6)


def test_balanced_share_moves_until_the_spread_is_met_and_stays_in_its_range():
    weight = Balanced(spread=0.5, initial=0.2, range=(0.1, 0.4), step=0.1)
    share = {spread: weight.metrics(after(weight, 1.0, 2, spread=spread))["share"] for spread in (0.0, 0.25, 0.5, 2.0)}
    assert share[0.0] == pytest.approx(0.2 * np.exp(0.2), rel=1e-5)
    assert share[0.25] == pytest.approx(0.2 * np.exp(0.1), rel=1e-5)
    assert share[0.5] == pytest.approx(0.2, rel=1e-6)
    assert share[2.0] == pytest.approx(0.2 * np.exp(-0.2), rel=1e-5)
    assert weight.metrics(after(weight, 1.0, 20, spread=0.0))["share"] == pytest.approx(0.4, rel=1e-5)
    assert weight.metrics(after(weight, 1.0, 20, spread=2.0))["share"] == pytest.approx(0.1, rel=1e-5)


def test_balanced_force_is_a_mean_at_first_and_then_follows():
    weight = Balanced(rate=0.1)
    state = after(weight, 1.0, 1, force=2.0)
    assert after(weight, 1.0, 1, state=state, force=4.0)["force"] == pytest.approx(3.0)
    assert after(weight, 1.0, 60, state=state, force=4.0)["force"] == pytest.approx(4.0, abs=0.02)


def test_a_floored_dual_sinks_to_its_share_of_the_force_and_no_floor_is_above_the_most():
    weight = FlooredDual(bound=1.0, share=0.1, most=0.2, optimiser=Adam(0.1))
    assert weight.value(after(weight, 0.0, 1, force=1.0)) == pytest.approx(np.exp(-0.1), rel=1e-4)  # a dual above it
    assert weight.value(after(weight, 0.0, 60, force=1.0)) == pytest.approx(0.1, rel=1e-5)
    assert weight.value(after(weight, 0.0, 60, force=50.0)) == pytest.approx(0.2, rel=1e-5)
    assert weight.value(after(weight, 2.0, 10, force=1.0)) == pytest.approx(np.exp(1.0), rel=1e-4)  # and free to rise


def test_a_floored_dual_rises_from_its_floor_at_once():
    """It stops there, rather than sinks on unseen and has to come back."""
    weight = FlooredDual(bound=1.0, share=0.1, optimiser=Adam(0.01, momentum=0.0, memory=0.0))
    sunk = after(weight, 0.0, 400, force=1.0)
    assert weight.value(after(weight, 2.0, 1, state=sunk, force=1.0)) == pytest.approx(0.1 * np.exp(0.01), rel=1e-4)


@pytest.mark.parametrize(
    "weight", [Balanced(), Dual(initial=0.3), FlooredDual(), WidthDual()], ids=lambda w: type(w).__name__
)
def test_a_weight_in_units_of_return_follows_a_new_unit(weight):
    state = after(weight, 1.0, 3, force=7.0)
    assert weight.value(weight.rescaled(state, 0.25)) == pytest.approx(0.25 * weight.value(state), rel=1e-5)


@pytest.mark.parametrize(("action", "bound"), [(1, 2.186), (3, 1.186), (6, 0.743), (17, 0.164)])
def test_the_bound_of_a_width_is_the_penalty_of_a_normal_of_that_width(action, bound):
    """Against published values and against the penalty of normal actions."""
    found = WidthDual(width=0.15).init(Repulsion(), Space(3, action))["bound"]
    assert found == pytest.approx(bound, abs=1e-3)
    actions = 0.15 * np.random.default_rng(0).normal(size=(8, 4_000, action)).astype(np.float32)
    penalty = Repulsion().penalty(Actions(actions, None), jax.random.key(0)).mean()
    assert penalty == pytest.approx(float(found), abs=0.02)
