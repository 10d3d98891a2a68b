"""What an environment says of its episodes: declared on its class or a wrapper, read from `info`, checked."""

import gymnasium
import numpy as np
import pytest

from pacer.errors import PacerError
from pacer.runs.reader import Run
from pacer.training.evaluate import evaluate
from pacer.training.measures import Measures
from pacer.training.world import World
from tests.tiny_runs import results, stop_at, train
from tests.training.test_evaluate import Standing
from tests.worlds import Drift


class Counting(Drift):
    """A Drift that tells when it is right of the middle, and how far."""

    EPISODE_SUMS = {"rights": "right"}  # noqa: RUF012
    EPISODE_MEANS = {"share_right": "right", "place": "x"}  # noqa: RUF012

    def step(self, action):
        answer = super().step(action)
        x = self.position[0]
        return (*answer[:4], {"right": bool(x > 0), "x": np.float32(x), "picture": np.zeros(3)})


class Watched(gymnasium.Wrapper):
    """A wrapper that measures an environment which does not."""

    EPISODE_SUMS = {"effort": "effort"}  # noqa: RUF012

    def step(self, action):
        *answer, info = self.env.step(action)
        return (*answer, {**info, "effort": 2})


def judged(make):
    return evaluate(World(make, "Own-v0"), Standing(), 2, 5, 0, 0.9)


def test_the_discounted_return_starts_at_the_first_reward():
    class Paying(Drift):
        def step(self, action):
            obs, _, *_ = super().step(action)
            return obs, float(self.steps), False, self.steps % 3 == 0, {}

    assert judged(Paying)[0].discounted == pytest.approx(1 + 0.9 * 2 + 0.81 * 3)


def test_sums_and_means_are_over_the_episodes_own_steps():
    plain, counted = judged(Drift), judged(Counting)
    for before, episode in zip(plain, counted, strict=True):
        assert not before.measures
        assert (before.total, before.length, before.discounted) == (episode.total, episode.length, episode.discounted)
        assert list(episode.measures) == ["rights", "share_right", "place"]
        assert episode.measures["rights"] == episode.measures["share_right"] * episode.length
        assert abs(episode.measures["place"]) < 1.3
    assert any(0 < episode.measures["share_right"] < 1 for episode in counted)


def test_a_wrapper_can_measure():
    for episode in judged(lambda: Watched(gymnasium.wrappers.TimeLimit(Drift(), 4))):
        assert episode.measures == {"effort": 2 * episode.length}


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"return": "x"}, "'return' in EPISODE_SUMS.* take another"),
        ({"a,b": "x"}, "EPISODE_SUMS .*expected"),
        (["x"], "EPISODE_SUMS .*expected"),
    ],
)
def test_wrong_declarations_are_refused_when_the_world_is_made(columns, message):
    env = Drift()
    env.EPISODE_SUMS = columns
    with pytest.raises(PacerError, match=message):
        Measures(env, "Own-v0")


@pytest.mark.parametrize("info", [{}, {"goal": None}, {"goal": np.zeros(2)}, {"goal": "yes"}])
def test_info_without_the_number_is_an_error_that_names_it(info):
    env = Drift()
    env.EPISODE_SUMS = {"goals": "goal"}
    with pytest.raises(PacerError, match=r"Own-v0 at step 3: expected a number in info for each of \['goal'\]"):
        Measures(env, "Own-v0").read(info, "step 3")


def test_runs_log_them_and_equal_runs_have_equal_bytes(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    train(one, make=Counting, steps=100, env_workers=1)
    stop_at(other, 60, make=Counting, steps=100)
    train(other, make=Counting, steps=100)
    assert results(one) == results(other)
    log = Run(one).evaluations()
    assert list(log)[-4:] == ["discounted", "rights", "share_right", "place"]
    np.testing.assert_allclose(log["share_right"], log["rights"] / log["length"])


@pytest.mark.parametrize(
    "id, columns",
    [
        ("pacer/RiskyHalfCheetah-v0", ["penalties", "above_limit", "velocity"]),
        ("pacer/CarNavigation1-v0", ["goals", "hazards", "treasures"]),
    ],
)
def test_our_own_environments_measure(id, columns):
    world = World(lambda: gymnasium.make(id), id)
    world.reset(0, "the test")
    action = np.zeros(world.space.action, np.float32)
    measured = [world.step(action, "the test")[-1] for _ in range(3)]
    assert list(world.measures.over(measured)) == columns
    world.close()
