"""Signs of bad health: each is seen where it is, and none in a run that is well."""

import jax
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

from pacer.observers import Episode, Evaluated
from pacer.pieces.types import Transition
from pacer.training.health import Health, Witness, collapsed, crossing, diverging, far, saturated, signs
from pacer.training.world import World
from tests.small import SMALL_RECIPES
from tests.test_agent import agent
from tests.tiny_runs import configuration
from tests.worlds import Drift

RNG = np.random.default_rng(0)
ACTIONS = RNG.uniform(-1, 1, (16, 64, 2))


def test_saturated():
    assert not saturated(ACTIONS)
    assert not saturated(np.where(RNG.uniform(size=ACTIONS.shape) < 0.5, 1.0, ACTIONS))  # half of them is no harm
    assert saturated(np.sign(ACTIONS))


def test_collapsed():
    assert collapsed(ACTIONS) == []
    point = np.broadcast_to(ACTIONS[0], ACTIONS.shape) + 1e-5 * ACTIONS
    assert collapsed(point) == [0, 1]
    assert collapsed(np.stack([ACTIONS[..., 0], point[..., 1]], -1)) == [1]  # on average over both it is not


def test_crossing():
    sorted_values = np.sort(RNG.normal(size=(2, 64, 8)))
    assert not crossing(sorted_values)
    assert not crossing(sorted_values + 1e-3 * RNG.normal(size=(2, 64, 8)))
    assert not crossing(np.zeros((2, 64, 8)))
    assert crossing(RNG.normal(size=(2, 64, 8)))


def test_far():
    played = RNG.normal(100, 20, 10)
    assert not far(np.full((2, 10), 250.0), played, 0.0)
    assert far(np.full((2, 10), 5000.0), played, 0.0)
    assert not far(np.full((2, 10), 5000.0), played, 6000.0)
    assert not far(np.full((2, 10), 0.5), np.zeros(10), 0.0)


def test_diverging():
    rewards = RNG.uniform(-1, 1, 1000)
    assert not diverging(np.full((2, 64, 8), -99.0), rewards, 0.99, 0.0)
    assert diverging(np.full((2, 64, 8), 1e4), rewards, 0.99, 0.0)


EPISODES = tuple(Episode(mode, n, -9.0, 5, -8.0) for mode in ("greedy", "sampled") for n in range(2))
SEEN = list(RNG.normal(size=(20, 3)).astype(np.float32))
BATCH = Transition(*(np.zeros((100, n), np.float32) for n in (3, 2)), np.ones(100, np.float32), *[None] * 2)


def scaled(first, part, factor):
    """An agent with the parameters of one network multiplied."""
    network = getattr(first.networks, part)
    params = jax.tree.map(lambda leaf: factor * leaf, network.params)
    networks = first.networks._replace(**{part: network._replace(params=params)})
    return type(first)(first.recipe, networks, first.scaling, first.low, first.high)


def found(which, **changes):
    return [name for name, _ in signs(which, SEEN, EPISODES, changes.get("batch", BATCH), 0.0)]


def test_a_new_agent_is_well_but_for_its_quantiles():
    assert found(agent()) == ["crossing"]
    assert found(scaled(agent(), "critic", 0.0)) == []


@pytest.mark.parametrize(
    "part, factor, sign", [("actor", 1e4, "saturated"), ("actor", 1e-6, "collapsed"), ("critic", 100, "diverging")]
)
def test_an_agent_that_is_not_says_so(part, factor, sign):
    assert sign in found(scaled(agent(), part, factor))


def test_a_critic_that_is_only_far_off_is_not_diverging():
    large = BATCH._replace(reward=np.full(100, 1e6, np.float32))
    signs_there = found(scaled(agent(), "critic", 100), batch=large)
    assert "far" in signs_there
    assert "diverging" not in signs_there


def test_the_entropy_in_a_soft_value_is_no_divergence():
    """Of A log 2 in every step: at rewards of 0 the value of uniform play is A log 2 / (1 - discount)."""
    soft = agent(recipe=SMALL_RECIPES["sql"])
    nothing = BATCH._replace(reward=np.zeros(100, np.float32))
    value = 2 * np.log(2) / (1 - soft.recipe.discount)
    critic = jax.tree.map(np.zeros_like, soft.networks.critic)
    for member in critic.params:
        member["head"]["bias"] = np.full_like(member["head"]["bias"], value)
    settled = type(soft)(soft.recipe, soft.networks._replace(critic=critic), soft.scaling, soft.low, soft.high)
    assert "diverging" not in found(settled, batch=nothing)
    assert "diverging" in found(scaled(settled, "critic", 10.0), batch=nothing)


def test_a_long_episode_with_a_limit_is_judged_by_its_beginning_which_is_said():
    said = []
    world = World(lambda: TimeLimit(Drift(), 20_000), "Drift-v0")
    Health(configuration(), world, said.append).hear(10_000, {})
    assert said == [
        "an episode of Drift-v0 has gone on for 10,000 steps: evaluations are cut there. They judge no more than that"
    ]


def test_each_sign_is_said_once():
    said = []
    health = Health(configuration(), World(Drift, "Drift-v0"), said.append)
    for step in (50, 100):
        health.hear(1_000, {"weight": 0.1, "distance": 1.0})
        health.examine(scaled(scaled(agent(), "actor", 1e4), "critic", 0.0), SEEN, Evaluated(step, EPISODES), BATCH)
    assert [message.split(":")[0] for message in said] == [
        "an episode of Drift-v0 has gone on for 1,000 steps",
        "after 50 steps nearly all actions lie on their bounds",
    ]


def test_a_run_that_has_just_gone_on_is_not_judged_before_it_has_learned():
    """What the encourager takes off returns is not known then, and looks like a critic that diverges."""
    said = []
    health = Health(configuration(), World(Drift, "Drift-v0"), said.append)
    health.examine(scaled(agent(), "actor", 1e4), SEEN, Evaluated(50, EPISODES), BATCH)
    assert said == []


def test_a_block_in_which_the_actor_rested_leaves_what_was_known_of_it(monkeypatch):
    penalties = []
    monkeypatch.setattr("pacer.training.health.signs", lambda *given: penalties.append(given[-1]) or [])
    health = Health(configuration(), World(Drift, "Drift-v0"), print)
    measure = agent().recipe.encourager.measures
    health.hear(1, {"weight": 0.2, measure: 2.0})
    health.hear(1, {"weight": 0.5, measure: np.nan})
    health.examine(agent(), SEEN, Evaluated(50, EPISODES), BATCH)
    assert penalties == [1.0]


def test_a_witness_plays_as_the_policy_and_remembers():
    first, witness = agent(), Witness(agent().policy, [])
    np.testing.assert_array_equal(witness.greedy(SEEN[0]), first.policy.greedy(SEEN[0]))
    drawn = [policy.sampled(SEEN[1], np.random.default_rng(0)) for policy in (witness, first.policy)]
    np.testing.assert_array_equal(*drawn)
    np.testing.assert_array_equal(witness.seen, SEEN[:2])
