"""Invariants of the learner."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer import learner
from pacer.pieces import MLP, Adam, Averaging, BatchNorm, Networks, Nothing, Scaling, Transition
from tests.small import SMALL_RECIPES, SPACE

UPDATES = 4
SCALING = Scaling(np.full(3, 0.1, np.float32), np.full(3, 2.0, np.float32), np.float32(1.0))


def blocks(recipe, updates=UPDATES, seed=0):
    rng = np.random.default_rng(seed)
    shape = (updates, recipe.batch) if recipe.return_steps == 1 else (updates, recipe.return_steps, recipe.batch)
    obs, next_obs = rng.normal(size=(2, *shape, SPACE.observation)).astype(np.float32)
    action = rng.uniform(-1, 1, (*shape, SPACE.action)).astype(np.float32)
    reward = rng.normal(size=shape).astype(np.float32)
    discount = np.float32(0.99) * (rng.random(shape) > 0.1)
    return Transition(obs, action, reward, next_obs, discount.astype(np.float32))


def equal(a, b):
    return all(np.array_equal(x, y) for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True))


def close(a, b, atol=1e-6):
    for x, y in zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-4, atol=atol)


def row(batches, number):
    return jax.tree.map(lambda x: x[number], batches)


step = jax.jit(learner.update, static_argnums=0)


def start(recipe, seed=0):
    return learner.init(recipe, SPACE, jax.random.key(seed))


# One recipe for every way through the learner: delays, moving and dual weights, late targets, other backups.
WAYS = {name: SMALL_RECIPES[name] for name in ("pacer-m-adaptive", "sac", "td3", "sql")}
WAYS["sac"] = replace(WAYS["sac"], return_steps=2)
WAYS["td3"] = replace(WAYS["td3"], return_steps=3, return_correction=0.0)


@pytest.mark.parametrize("recipe", WAYS.values(), ids=WAYS)
def test_a_block_equals_single_updates_and_repeats_its_bits_for_its_seeds(recipe):
    batches, key = blocks(recipe), jax.random.key(7)
    first, metrics, finite = learner.learn(recipe, start(recipe), batches, SCALING, key)
    again, *_ = learner.learn(recipe, start(recipe), batches, SCALING, key)
    assert equal(first, again)
    assert finite
    assert all(np.isfinite(value) for value in metrics.values())
    encouraged = not isinstance(recipe.encourager, Nothing)
    assert ({"weight", "distance", "log_density"} & metrics.keys() != set()) is encouraged  # else they mean nothing
    spoiled = batches._replace(reward=np.where(np.arange(recipe.batch) == 3, np.float32(np.nan), batches.reward))
    assert not learner.learn(recipe, start(recipe), spoiled, SCALING, key)[2]
    for seed, other in ((1, key), (0, jax.random.key(8))):
        assert not equal(first.online, learner.learn(recipe, start(recipe, seed), batches, SCALING, other)[0].online)

    single = start(recipe)
    for i, k in enumerate(jax.random.split(key, UPDATES)):
        single, _ = step(recipe, single, row(batches, i), SCALING, k)
    single = single._replace(weight=recipe.weight.end_block(single.weight))
    for a, b in zip(jax.tree.leaves(first), jax.tree.leaves(single), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-6)


def test_recipes_that_differ_in_numbers_alone_are_compiled_once():
    recipe = SMALL_RECIPES["td3"]
    other = replace(recipe, actor_optimiser=Adam(1e-2), discount=0.5, averaging=replace(recipe.averaging, rate=0.5))
    learned = []
    for number, changed in enumerate((recipe, other)):
        learned.append(learner.learn(changed, start(changed), blocks(recipe), SCALING, jax.random.key(7))[0])
        if number == 0:
            before = learner.compiled_learn._cache_size()
    assert learner.compiled_learn._cache_size() == before
    for network in ("actor", "critic"):
        assert not equal(getattr(learned[0].target, network), getattr(learned[1].target, network))


# Cheap to compile, and compiled once for the two tests of it.
DELAYED = replace(SMALL_RECIPES["td3"], policy_delay=3, averaging=Averaging(rate=0.25, period=2))


@pytest.mark.xdist_group("delayed")
def test_the_actor_moves_only_every_policy_delay_updates():
    state, moved = start(DELAYED), []
    for i, k in enumerate(jax.random.split(jax.random.key(0), 6)):
        after, _ = step(DELAYED, state, row(blocks(DELAYED, 6), i), SCALING, k)
        moved.append(not equal(state.online.actor, after.online.actor))
        assert not equal(state.online.critic, after.online.critic)
        state = after
    assert moved == [False, False, True, False, False, True]


@pytest.mark.xdist_group("delayed")
def test_a_block_in_which_the_actor_stands_still_has_no_numbers_of_it():
    batches, key = blocks(DELAYED, 2), jax.random.key(0)
    _, metrics, finite = learner.learn(DELAYED, start(DELAYED), batches, SCALING, key)
    assert finite
    assert {name for name, value in metrics.items() if np.isnan(value)} == {"actor_loss", "force", "value"}


@pytest.mark.xdist_group("delayed")
def test_targets_follow_by_rate_and_period():
    batches, first = blocks(DELAYED), start(DELAYED)
    second, _ = step(DELAYED, first, row(batches, 0), SCALING, jax.random.key(0))
    assert equal(first.target, second.target)
    third, _ = step(DELAYED, second, row(batches, 1), SCALING, jax.random.key(1))
    close(third.target, jax.tree.map(lambda t, o: t + 0.25 * (o - t), second.target, third.online))


def test_statistics_are_each_networks_own_and_only_parameters_are_averaged():
    recipe, body = SMALL_RECIPES["ddpg"], MLP((8, 8), BatchNorm(rate=0.1))
    actor, critic = replace(recipe.actor, body=body), replace(recipe.critic, body=body)
    recipe = replace(recipe, actor=actor, critic=critic, averaging=Averaging(rate=0.25))
    first = start(recipe)._replace(target=start(recipe, 1).online)
    batch = row(blocks(recipe), 0)
    second, _ = step(recipe, first, batch, SCALING, jax.random.key(0))

    rows, noise = learner.prepare(recipe, batch, SCALING), jnp.zeros((1, recipe.batch, 0))
    for before, after in ((first.online, second.online), (first.target, second.target)):
        _, actor_stats = actor.transform(before.actor, rows.obs, noise, training=True)
        _, critic_stats = critic.evaluate(before.critic, rows.obs, rows.action, jax.random.key(0), training=True)
        close(after.actor.stats, actor_stats)
        close(after.critic.stats, critic_stats)
    for name in Networks._fields:
        old, online, new = (getattr(n, name) for n in (first.target, second.online, second.target))
        close(new.params, jax.tree.map(lambda t, o: t + 0.25 * (o - t), old.params, online.params))
        gaps = jax.tree.map(lambda a, b: np.abs(a - b).max(), new.stats, online.stats)
        assert min(jax.tree.leaves(gaps)) > 1e-4


def test_without_weight_the_encourager_changes_nothing():
    """alpha = 0 gives the actor gradient of PACER without encourager."""
    with_mmd = replace(SMALL_RECIPES["pacer-m"], weight=SMALL_RECIPES["m0p1"].weight)
    without = SMALL_RECIPES["m0p1"]
    gradients = []
    batch = jax.tree.map(lambda x: jnp.asarray(x[0]), blocks(without))
    state = start(without)
    for recipe in (with_mmd, without):

        def loss(params, recipe=recipe):
            return learner.actor_loss(params, recipe, state, batch, jax.random.key(0))[0]

        gradients.append(jax.jit(jax.grad(loss))(state.online.actor.params))
    for a, b in zip(*map(jax.tree.leaves, gradients), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-7)


def test_reward_scale_and_utility_come_before_the_backup():
    recipe = replace(SMALL_RECIPES["pacer-m"], reward_scale=0.05)
    batch = row(blocks(recipe), 0)
    prepared = learner.prepare(recipe, batch, SCALING)
    np.testing.assert_allclose(prepared.reward, 0.05 * batch.reward, rtol=1e-6)
    np.testing.assert_allclose(prepared.obs, np.clip((batch.obs - 0.1) * 2.0, -5, 5), rtol=1e-5, atol=1e-6)


def test_steps_that_follow_each_other_count_as_one():
    """By hand, three steps: one row goes on, one ends in its second step, one is cut off after its second."""
    recipe = replace(SMALL_RECIPES["ddpg"], return_steps=3, return_correction=0.5)
    rng, gamma, goes_on = np.random.default_rng(0), np.float32(0.5), np.float32([[1, 1, 1], [1, 1, 1], [1, 0, 0]])
    steps = Transition(
        obs=rng.normal(size=(3, 3, 3)).astype(np.float32),
        action=rng.uniform(-1, 1, (3, 3, 2)).astype(np.float32),
        reward=np.float32([[1, 1, 1], [2, 2, 2], [4, 9, 9]]),
        next_obs=rng.normal(size=(3, 3, 3)).astype(np.float32),
        discount=np.float32([[gamma, gamma, gamma], [gamma, 0, gamma], [gamma, 1, 1]]),
    )
    state, key = start(recipe), jax.random.key(1)
    one = learner.corrected(recipe, state, steps, key).joined(np.full(3, 3))

    def value(obs, action):
        return recipe.critic.returns(state.target.critic, obs, action[None], key).value[:, 0, :, 0].min(0)

    def gain(obs, action):
        ours, _ = recipe.actor.sample(state.target.actor, obs, np.zeros((1, 3, 0), np.float32), key)
        return 0.5 * (value(obs, ours.action[0]) - value(obs, action))

    counted = [steps.reward[0], *(steps.reward[k] + gain(steps.obs[k], steps.action[k]) for k in (1, 2))]
    expected = np.sum([gamma**k * goes_on[k] * counted[k] for k in range(3)], axis=0)
    assert np.abs(expected - np.float32([3, 2, 2])).min() > 1e-3  # the correction makes a difference here
    np.testing.assert_allclose(one.reward, expected, rtol=1e-5)
    np.testing.assert_allclose(one.discount, [0.125, 0, 0.25])
    for got, given in ((one.obs, steps.obs[0]), (one.action, steps.action[0]), (one.next_obs, steps.next_obs[2])):
        np.testing.assert_array_equal(got, given)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", SMALL_RECIPES.values(), ids=SMALL_RECIPES)
def test_every_recipe_may_count_several_rewards(recipe):
    recipe = replace(recipe, return_steps=2)
    state, metrics, finite = learner.learn(recipe, start(recipe), blocks(recipe), SCALING, jax.random.key(0))
    assert finite
    assert all(np.isfinite(value) for value in metrics.values())
    assert not equal(state.online.critic, start(recipe).online.critic)


def test_a_single_step_is_itself_when_it_is_joined():
    batch = row(blocks(SMALL_RECIPES["sac"]), 0)
    assert equal(jax.tree.map(lambda part: part[None], batch).joined(np.ones(len(batch.reward), int)), batch)


def test_single_steps_are_learned_from_whatever_a_recipe_may_count():
    recipe, batches = replace(SMALL_RECIPES["ddpg"], return_steps=2), blocks(SMALL_RECIPES["ddpg"])
    several, *_ = learner.learn(recipe, start(recipe), batches, SCALING, jax.random.key(0))
    single, *_ = learner.learn(SMALL_RECIPES["ddpg"], start(recipe), batches, SCALING, jax.random.key(0))
    assert equal(several, single)


def test_a_target_counts_as_many_rewards_as_were_drawn():
    """By hand: of three steps the first one, two and three; and one of three whose episode ended in its second."""
    goes_on, step = np.float32(0.5), np.arange(3, dtype=np.float32)
    discount = np.stack(
        [np.full(4, goes_on), np.float32([goes_on, goes_on, goes_on, 0]), np.float32([goes_on] * 3 + [1])]
    )
    rows = np.broadcast_to(step[:, None], (3, 4))
    steps = Transition(rows[..., None], rows[..., None], 1 + rows, 10 + rows[..., None], discount)
    one = steps.joined(np.array([1, 2, 3, 3]))
    np.testing.assert_allclose(one.reward, [1, 1 + 0.5 * 2, 1 + 0.5 * 2 + 0.25 * 3, 1 + 0.5 * 2])
    np.testing.assert_allclose(one.discount, [0.5, 0.25, 0.125, 0])
    np.testing.assert_array_equal(one.next_obs[:, 0], [10, 11, 12, 12])


def test_how_many_rewards_a_target_counts_is_drawn_by_its_decay():
    recipe = replace(SMALL_RECIPES["ddpg"], return_steps=4, return_decay=0.5, return_correction=0.0)
    steps = Transition(*(np.zeros((4, 40_000)) for _ in range(5)))
    counts = learner.counted(recipe, steps, jax.random.key(0))
    shares = np.bincount(counts, minlength=5)[1:] / 40_000
    np.testing.assert_allclose(shares, [1 / 2, 1 / 4, 1 / 8, 1 / 8], atol=0.01)
    assert (learner.counted(replace(recipe, return_decay=1.0), steps, jax.random.key(0)) == 4).all()


@pytest.mark.parametrize("recipe", SMALL_RECIPES.values(), ids=SMALL_RECIPES)
def test_the_state_has_the_types_of_a_stored_one(recipe):
    """A weakly typed number becomes a plain one in a file, and a resumed run would be compiled anew."""
    shapes = jax.eval_shape(lambda: learner.init(recipe, SPACE, jax.random.key(0)))
    assert not [leaf for leaf in jax.tree.leaves(shapes) if leaf.weak_type]


@pytest.mark.parametrize("recipe", [SMALL_RECIPES[name] for name in ("pacer", "drac")], ids=("pacer", "drac"))
def test_learning_goes_on_in_a_new_unit_as_it_would_have(recipe):
    """All but the critic's heads, whose steps are as large in every unit, take the step that they would have taken."""
    state, key = start(recipe), jax.random.key(2)
    for number in range(20):
        state, *_ = learner.learn(recipe, state, blocks(recipe, 1, seed=number), SCALING, jax.random.key(number))
    before, batches = jax.device_get(state), blocks(recipe, 1, seed=20)
    changed = learner.rescaled(recipe, before, np.float32(1 / 8))
    kept, *_ = learner.learn(recipe, state, batches, SCALING, key)
    changed, *_ = learner.learn(recipe, changed, batches, SCALING._replace(unit=np.float32(8)), key)

    def steps(after):
        def learned(networks):
            return [member["body"] for member in networks.critic.params], networks.actor.params

        moves = [a - b for a, b in zip(*(jax.tree.leaves(learned(s.online)) for s in (after, before)), strict=True)]
        return np.concatenate([move.ravel() for move in moves])

    # Not to the bit: Adam's epsilon has no unit, and the actor sees the heads after their step.
    assert np.linalg.norm(steps(changed) - steps(kept)) < 0.05 * np.linalg.norm(steps(kept))
