"""Configurations survive JSON, and JSON that is no configuration is refused without importing anything."""

import gc
import json
import sys
from dataclasses import dataclass, replace

import pytest

from pacer.config import Config
from pacer.errors import PacerError
from pacer.pieces.recipe import Recipe
from pacer.pieces.risks import Risk, Wang
from pacer.presets import SIZES, for_task
from pacer.recipes import RECIPES
from pacer.runs.codec import decode, encode, members
from pacer.runs.files import load_json, save_json


def configuration(recipe=RECIPES["pacer-m-adaptive"][1], **changes):
    return replace(Config("Hopper-v4", {"healthy_reward": 2.0}, "pacer-m", recipe, 3, 1_000), **changes)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_survives_a_file(name, size, tmp_path):
    config = configuration(for_task(SIZES[size].apply(RECIPES[name][1]), "Hopper-v4"))
    save_json(tmp_path / "config.json", {"config": encode(config)})
    again = decode(load_json(tmp_path / "config.json")["config"], Config)
    assert again == config
    assert hash(again.recipe) == hash(config.recipe)


def changed(path, value):
    """An encoded configuration with one value replaced, or taken out where it is `...`."""
    content = json.loads(json.dumps(encode(configuration())))
    target = content
    *way, last = path
    for key in way:
        target = target[key]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return content


@pytest.mark.parametrize(
    "path, value, message",
    [
        (["piece"], "os.system", "names 'os.system', which is no Config"),
        (["recipe", "actor", "piece"], "antigravity", r"\.recipe\.actor names 'antigravity', which is no Actor"),
        (["recipe", "actor", "piece"], ["PushForward"], "which is no Actor"),
        (["recipe", "actor", "piece"], "Quantile", r"\.recipe\.actor names 'Quantile', which is no Actor"),
        (["recipe", "actor"], {"piece": "Schedule"}, "names 'Schedule', which is no Actor"),
        (["recipe"], {"piece": "Config"}, "names 'Config', which is no Recipe"),
        (["recipe", "actor"], None, "is None: expected Actor"),
        (["recipe", "actor"], {"noise_power": 1}, "expected Actor"),
        (["recipe", "actor", "extra"], 1, r"\(PushForward\) has no field extra: it has .*noise_power"),
        (["recipe", "actor", "__class__"], 1, "has no field __class__"),
        (["recipe", "weight", "range"], [0.1, "1"], r"range\[1\] is '1': expected float"),
        (["recipe", "weight", "range"], 64, "range is 64"),
        (["recipe", "actor", "greedy_rule"], "best", "greedy_rule is 'best'"),
        (["recipe", "batch"], 1.5, "batch is 1.5: expected int"),
        (["recipe", "batch"], True, "batch is True: expected int"),
        (["recipe", "batch"], "256", "batch is '256': expected int"),
        (["recipe", "discount"], "0.9", "discount is '0.9': expected float"),
        (["recipe", "discount"], 2.0, "expected 0 <= discount < 1"),
        (["recipe", "weight", "range"], [1.0], "range is"),
        (["steps"], -50, "steps is -50"),
        (["seed"], -1, "seed is -1"),
        (["seed"], ..., "seed"),
        (["environment"], 7, "environment is 7: expected str"),
        (["environment_options"], [], "environment_options is"),
        (["schedule", "block"], 0, "block is 0"),
        (["schedule", "log_every"], 75, "expected a multiple of the block"),
    ],
)
def test_a_wrong_configuration_is_refused_and_its_place_named(path, value, message):
    before = set(sys.modules)
    with pytest.raises(PacerError, match=message):
        decode(changed(path, value), Config)
    assert set(sys.modules) == before


@pytest.mark.parametrize("content", [None, [], "Config", 3, {"environment": "Hopper-v4"}])
def test_what_is_no_configuration_at_all_is_refused(content):
    with pytest.raises(PacerError, match="expected Config"):
        decode(content, Config)


@pytest.mark.parametrize("depth", [50, 5_000])
def test_deep_nesting_is_refused(depth):
    nested = {"piece": "Config"}
    for _ in range(depth):
        nested = {"piece": "Config", "environment_options": nested}
    with pytest.raises(PacerError):
        decode(nested, Config)


def test_integers_become_floats_where_a_float_is_declared():
    recipe = decode(changed(["recipe", "reward_scale"], 2)["recipe"], Recipe)
    assert type(recipe.reward_scale) is float


def test_a_piece_of_the_users_own_is_known_once_it_is_defined_and_its_newest_definition_counts():
    def define(default):
        @dataclass(frozen=True)
        class Own(Risk):
            level: float = default

            def value(self, returns):
                return returns.mean()

        return Own

    before, after = define(0.1), define(0.2)  # a notebook's cell, run twice
    assert members(Risk)["Own"] is after
    recipe = replace(RECIPES["pacer-m"][1], risk=before(0.5))
    assert decode(encode(recipe, Recipe), Recipe).risk == after(0.5)


def test_two_pieces_of_one_name_are_refused():
    namespace = {"__module__": "elsewhere", "value": lambda self, returns: returns.mean()}
    rival = dataclass(frozen=True)(type("Wang", (Risk,), namespace))
    with pytest.raises(
        PacerError, match=r"two pieces are named Wang, in pacer\.pieces\.risks and elsewhere: rename yours"
    ):
        members(Risk)
    del rival
    gc.collect()
    assert members(Risk)["Wang"] is Wang


def test_a_piece_that_is_no_dataclass_is_refused_before_anything_is_learnt():
    class Stranger(Risk):
        def value(self, returns):
            return returns.mean()

    with pytest.raises(PacerError, match=r"recipe\.risk is .*Stranger"):
        encode(configuration(replace(RECIPES["pacer-m"][1], risk=Stranger())), Config)
