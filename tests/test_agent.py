"""An agent in a folder: the same answers after saving, clear refusals, and no half-written policy."""

import json
import os
import shutil
import struct

import jax
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pacer.agent import Agent
from pacer.errors import PacerError
from pacer.pieces.types import Networks, Space
from pacer.runs.formats import FORMAT
from pacer.training.statistics import Moments
from tests.formats.store import HERE
from tests.tiny_runs import RECIPE
from tests.worlds import HIGH, LOW

pytestmark = pytest.mark.xdist_group("agent")
SPACE = Space(observation=3, action=2)
OBS = np.random.default_rng(0).normal(size=(5, 3)).astype(np.float32)


def agent(seed=0, recipe=RECIPE):
    key = jax.random.key(seed)
    networks = Networks(recipe.actor.init(key, SPACE), recipe.critic.init(key, SPACE))
    scaling = Moments.empty(3).fold(3 * OBS + 1).scaling()
    return Agent(recipe, jax.tree.map(np.asarray, networks), scaling, LOW, HIGH)


@pytest.fixture
def folder(tmp_path):
    agent().save(tmp_path / "agent")
    return tmp_path / "agent"


def test_a_loaded_agent_answers_like_the_saved_one(folder):
    first, again = agent(), Agent.load(str(folder))
    np.testing.assert_array_equal(again.predict(OBS, deterministic=True)[0], first.predict(OBS, deterministic=True)[0])
    first.seed(3)
    again.seed(3)
    np.testing.assert_array_equal(again.predict(OBS)[0], first.predict(OBS)[0])
    for a, b in zip(again.returns(OBS, HIGH), first.returns(OBS, HIGH), strict=True):
        np.testing.assert_array_equal(a, b)
    assert again.recipe == first.recipe


def test_predict_is_the_actor_on_normalised_observations_in_the_environments_bounds():
    first = agent()
    first.seed(3)
    noise = RECIPE.actor.noise(np.random.default_rng(3), SPACE, (5,))
    seen = (OBS - first.scaling.mean) * first.scaling.inverse_deviation
    inner = RECIPE.actor.push(first.networks.actor, seen, noise, np)
    action, state = first.predict(OBS, state="kept")
    np.testing.assert_allclose(action, LOW + (inner + 1) / 2 * (HIGH - LOW), rtol=1e-5, atol=1e-6)
    assert state == "kept"
    assert (action >= LOW).all()
    assert (action <= HIGH).all()
    one, _ = first.predict(OBS[0], deterministic=True)
    assert one.shape == (2,)
    np.testing.assert_allclose(one, first.predict(OBS, deterministic=True)[0][0], rtol=1e-5)


def test_actions_are_sampled_by_the_number():
    first = agent()
    assert first.sample_actions(OBS[0], 7).shape == (7, 2)
    many = first.sample_actions(OBS, np.int64(400))
    assert many.shape == (400, 5, 2)
    assert (many >= LOW).all()
    assert (many <= HIGH).all()
    assert (many.std(0) > 0).all()
    first.seed(1)
    one = first.predict(OBS[0])[0]
    first.seed(1)
    np.testing.assert_allclose(first.sample_actions(OBS[0], 1)[0], one, rtol=1e-6)
    with pytest.raises(PacerError, match="count is 0: expected a whole number from 1"):
        first.sample_actions(OBS[0], 0)


def test_an_agent_says_what_it_is():
    assert repr(agent()) == "Agent(PushForward, Quantile, Neutral; 3 observations, 2 actions)"
    said = agent().summary()
    assert "3 observations, 2 actions from [-0.5, 0.0] to [1.0, 3.0]" in said
    (line,) = [line for line in said.splitlines() if line.startswith("actor: PushForward(")]
    assert line.endswith(" parameters")


def test_agents_are_told_apart(folder):
    assert Agent.load(folder).digest() == agent().digest() != agent(1).digest()


def test_the_levels_of_returns_are_drawn_from_the_seed():
    one, same, other = (agent().returns(OBS, HIGH, seed=seed).value for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_returns_take_one_observation_with_many_actions_and_the_reverse():
    actions = np.linspace(LOW, HIGH, 3)
    many = agent().returns(OBS[0], actions).value
    assert many.shape[0] == 3
    np.testing.assert_allclose(agent().returns(np.tile(OBS[0], (3, 1)), actions[1]).value, many[[1, 1, 1]], rtol=1e-5)
    with pytest.raises(PacerError, match="4 observations and 3 actions: expected as many, or one of either"):
        agent().returns(np.tile(OBS[0], (4, 1)), actions)


def test_returns_take_actions_in_the_environments_bounds():
    first = agent()
    returns = first.returns(OBS[0], (LOW + HIGH) / 2)
    seen = first.scaling.normalise(OBS[:1], np)
    expected = RECIPE.critic.returns(first.networks.critic, seen, np.zeros((1, 2), np.float32), jax.random.key(0))
    expected = RECIPE.target_pessimism.combine(expected, RECIPE.risk)
    np.testing.assert_allclose(returns.value, np.sort(expected.value), rtol=1e-5)
    np.testing.assert_allclose(returns.mean(), expected.mean(), rtol=1e-5)
    assert (np.diff(returns.level) > 0).all()
    assert returns.mass.sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    "obs, message",
    [
        (np.zeros(4), r"observation of shape \(4,\): expected \(3,\) or \(batch, 3\)"),
        (np.zeros((1, 1, 3)), "expected"),
        (np.float32(1), "expected"),
        ([[0, 0, 0], [0, np.nan, 0]], r"nan at index \(1, 1\)"),
    ],
)
def test_observations_that_do_not_fit_are_refused(obs, message):
    with pytest.raises(PacerError, match=message):
        agent().predict(obs)


def rewrite(folder, **changes):
    path = folder / "agent.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def with_body(folder, **fields):
    recipe = json.loads((folder / "agent.json").read_text())["recipe"]
    recipe["actor"]["body"].update(fields)
    rewrite(folder, recipe=recipe)


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda f: rewrite(f, space=[3]), "space is"),
        (lambda f: rewrite(f, space=[3, "2"]), "expected int"),
        (lambda f: rewrite(f, space=[-3, 2]), "describes no agent"),
        (lambda f: rewrite(f, space=[4, 2]), r"agent\.safetensors: .* expected float32"),
        (lambda f: rewrite(f, space=[10**9, 10**9]), "expected sizes of 1 to 65536"),
        (lambda f: with_body(f, hidden=[]), r"hidden is \(\): expected at least one layer"),
        (lambda f: with_body(f, hidden=[16, 16, 16]), "does not hold the arrays its configuration calls for"),
        (lambda f: rewrite(f, recipe=None), "recipe is None"),
        (lambda f: rewrite(f, format=FORMAT + 1), f"of format {FORMAT + 1}"),
        (lambda f: (f / "agent.safetensors").write_bytes(b"\xff" * 100), "cannot be read as a safetensors file"),
        (lambda f: os.truncate(f / "agent.safetensors", 900), "cannot be read as a safetensors file"),
        (lambda f: (f / "agent.safetensors").unlink(), "cannot be read as a safetensors file"),
    ],
)
def test_a_damaged_policy_is_refused(damage, message, folder):
    damage(folder)
    with pytest.raises(PacerError, match=message):
        Agent.load(folder)


@pytest.mark.parametrize(
    "name, place, field, value, message",
    [
        ("pacer-m-adaptive", "critic", "members", 100_000, "members is 100000: expected 1 to 65536"),
        ("pacer-m-adaptive", "critic", "levels", 10**9, "levels is 1000000000: expected 1 to 65536"),
        ("pacer-m-adaptive", "actor", "noise_power", 10**9, "noise_power is 1000000000: expected 1 to 4"),
        ("lsp", "actor", "layers", 10**6, "layers is 1000000: expected 1 to 65536"),
        ("sac", "weight", "initial", float("inf"), "Infinity is not a number in JSON"),
    ],
)
def test_sizes_of_a_stranger_are_refused_before_they_cost_anything(tmp_path, name, place, field, value, message):
    shutil.copytree(sorted(HERE.glob(f"*/{name}"))[-1], tmp_path, dirs_exist_ok=True)
    recipe = json.loads((tmp_path / "agent.json").read_text())["recipe"]
    recipe[place][field] = value
    rewrite(tmp_path, recipe=recipe)
    with pytest.raises(PacerError, match=message):
        Agent.load(tmp_path)


@pytest.mark.parametrize(
    "names, changed, message",
    [
        ("low", lambda a: np.full_like(a, np.nan), "not finite"),
        ("low", lambda a: a + 100, "bounds of actions that are none: expected low < high"),
        ("low", lambda a: a.astype(np.float16), "'low' is F16 of 1 axes, which no array of pacer's is"),
        ("low", lambda a: a.view(np.int8), "'low' is I8 of 1 axes, which no array of pacer's is"),
        ("low", lambda a: a.reshape([1] * 31 + [2]), "'low' is F32 of 32 axes, which no array of pacer's is"),
        ("networks/actor", lambda a: a * 1e38, "action is not finite"),
    ],
)
def test_arrays_of_a_stranger_are_refused(folder, names, changed, message):
    arrays = load_file(folder / "agent.safetensors")
    arrays = {name: changed(array) if name.startswith(names) else array for name, array in arrays.items()}
    save_file(arrays, folder / "agent.safetensors")
    with pytest.raises(PacerError, match=message):
        Agent.load(folder)


def retold(folder, **entry):
    """What the header of the arrays says of `low`, changed."""
    path = folder / "agent.safetensors"
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    header["low"].update(entry)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + content[8 + size :])


@pytest.mark.parametrize(
    "entry", [{"dtype": "F8_E4M3", "shape": [8]}, {"dtype": "F4", "shape": [16]}, {"shape": [1] * 40 + [2]}]
)
def test_types_and_dimensions_that_numpy_lacks_are_refused(folder, entry):
    retold(folder, **entry)
    with pytest.raises(PacerError, match=r"agent\.safetensors"):
        Agent.load(folder)


class PowerCut(BaseException):
    pass


@pytest.mark.parametrize("call", range(4))
def test_a_power_cut_while_a_policy_is_replaced_leaves_the_old_or_the_new(call, folder, monkeypatch):
    """Two files, each written, synced and renamed: a cut at any of these calls."""
    calls = iter(range(100))

    def cut(original):
        def maybe(*arguments):
            if next(calls) == call:
                raise PowerCut
            return original(*arguments)

        return maybe

    old, new = (agent(seed).predict(OBS, deterministic=True)[0] for seed in (0, 1))
    monkeypatch.setattr(os, "fsync", cut(os.fsync))
    monkeypatch.setattr(os, "replace", cut(os.replace))
    with pytest.raises(PowerCut):
        agent(1).save(folder)
    found = Agent.load(folder).predict(OBS, deterministic=True)[0]
    assert np.array_equal(found, old if call < 2 else new)
