"""One configuration, whichever way it was asked for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pacer
from pacer.config import Schedule, default_folder, resolve
from pacer.errors import PacerError
from pacer.pieces.actors.push_forward import PushForward
from pacer.pieces.bodies.mlp import MLP
from pacer.pieces.critics.quantile import Quantile
from pacer.pieces.encouragers.duals import MovingDual
from pacer.pieces.risks import CVaR
from pacer.recipes import PACER, PACER_M_ADAPTIVE, RECIPES, SAC


def test_the_default_is_the_same_on_every_task():
    config = resolve("Hopper-v4")
    assert (config.environment, config.label, config.seed, config.steps) == ("Hopper-v4", "pacer", 0, 100_000)
    for other in ("HalfCheetah-v4", "pacer/CarNavigation1-v0", "Pendulum-v1", "HumanoidStandup-v4"):
        assert resolve(other).recipe == config.recipe == PACER


def test_the_published_recipes_have_the_values_of_the_task():
    config = resolve("Hopper-v4", "pacer-m-adaptive")
    assert config.recipe == replace(
        PACER_M_ADAPTIVE, weight=replace(PACER_M_ADAPTIVE.weight, initial=0.5, range=(0.3, 0.8))
    )
    assert (config.schedule, config.envs, config.environment_options) == (Schedule(), 1, {})


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_and_its_name_are_the_same_request(name):
    for size in ("small", "paper"):
        assert resolve("Hopper-v4", name, size=size) == resolve("Hopper-v4", RECIPES[name][1], size=size)


def test_size_then_task_then_risk_then_overrides():
    config = resolve(
        "Hopper-v4",
        "pacer-m-adaptive",
        size="paper",
        risk="cvar:0.25",
        utility="power:2",
        overrides={"recipe.critic.levels": 48, "recipe.risk.level": 0.5, "recipe.weight.step": 1, "schedule.block": 25},
    )
    assert (config.recipe.batch, config.recipe.critic.levels, config.recipe.encourager.samples) == (400, 48, 100)
    assert config.recipe.risk == CVaR(0.5)
    assert (config.recipe.weight.step, config.recipe.weight.range) == (1.0, (0.3, 0.8))
    assert (
        config.label == "pacer-m-adaptive-paper-critic.levels_48-weight.step_1-utility_power_2-risk_cvar_0.5-block_25"
    )


def test_size_and_task_fill_pieces_that_are_given_by_name_and_leave_values():
    def chosen(**overrides):
        return resolve("Hopper-v4", "ptd3", size="paper", overrides={f"recipe.{k}": v for k, v in overrides.items()})

    named = chosen(critic="Quantile", encourager="MMD", weight="MovingDual")
    assert (named.recipe.critic.levels, named.recipe.encourager.samples) == (64, 100)
    assert named.recipe.weight == MovingDual(initial=0.5, range=(0.3, 0.8))
    given = chosen(critic=Quantile(), encourager="MMD", weight=MovingDual())
    assert (given.recipe.critic, given.recipe.weight) == (Quantile(), MovingDual())
    for name, value in {"batch": 256, "critic.levels": 32, "encourager.states": 300}.items():  # as small, or larger
        config = resolve("Hopper-v4", size="paper", overrides={f"recipe.{name}": value})
        assert config.label == f"pacer-paper-{name}_{value}"


def test_the_warm_up_is_the_sizes_unless_the_schedule_says_otherwise():
    assert resolve("Hopper-v4", size="paper").schedule.warm_up == 10_000
    assert resolve("Hopper-v4", size="paper", schedule=Schedule(block=25)).schedule.warm_up == 10_000
    assert resolve("Hopper-v4", size="paper", schedule=Schedule(warm_up=500)).schedule.warm_up == 500
    assert resolve("Hopper-v4", size="paper", overrides={"schedule.warm_up": 1_000}).schedule.warm_up == 1_000


def test_labels_and_folders_keep_different_runs_apart():
    plain = resolve("Hopper-v4")
    others = [
        resolve("Hopper-v4", overrides={"recipe.critic.levels": 64}),
        resolve("Hopper-v4", overrides={"recipe.critic.levels": 65}),
        resolve("Hopper-v4", overrides={"recipe.critic": Quantile(levels=64, members=3)}),
        resolve("Hopper-v4", risk="cvar:0.25"),
        resolve("Hopper-v4", utility="power:1.5"),
        resolve("Hopper-v4", size="paper"),
        resolve("Hopper-v4", schedule=Schedule(warm_up=7)),
        resolve("Hopper-v4", env_kwargs={"healthy_reward": 2.0}),
        resolve("Hopper-v4", envs=4),
        resolve("Hopper-v4", seed=1),
        resolve("Hopper-v4", replace(SAC, discount=0.5)),
        resolve("Hopper-v4", replace(SAC, discount=0.6)),
        resolve("Hopper-v4", name="mine"),
        resolve("Hopper-v5"),
    ]
    folders = [default_folder(config) for config in (plain, *others)]
    assert len(set(folders)) == len(folders)
    assert folders[0] == Path("runs/Hopper-v4/pacer/seed0")
    assert folders[1] == Path("runs/Hopper-v4/pacer-critic.levels_64/seed0")
    assert folders[9] == Path("runs/Hopper-v4/pacer-envs_4/seed0")


def test_an_override_that_changes_nothing_is_not_in_the_label():
    assert resolve("Hopper-v4", overrides={"recipe.critic.levels": 32}) == resolve("Hopper-v4")


@pytest.mark.parametrize(
    "env", ["../../x", "/etc/x", "..", "a/../../..", "~/x", ".:.", "function:main.<locals>.<lambda>"]
)
def test_no_environment_leads_outside_of_runs(env, tmp_path):
    folder = (tmp_path / default_folder(resolve(env))).resolve()
    assert folder.is_relative_to(tmp_path / "runs")


def test_our_environments_have_one_name():
    assert resolve("pacer:pacer/CarNavigation1-v0") == resolve("pacer/CarNavigation1-v0")
    folder = default_folder(resolve("pacer/CarNavigation1-v0", "sac", seed=2))
    assert folder == Path("runs/pacer/CarNavigation1-v0/sac/seed2")


def test_a_recipe_of_the_users_own_is_called_after_its_content_or_as_it_is_told():
    own = replace(SAC, discount=0.5)
    assert resolve("Hopper-v4", own).label.startswith("custom-")
    assert resolve("Hopper-v4", own).label == resolve("Hopper-v4", replace(SAC, discount=0.5)).label
    assert resolve("Hopper-v4", own, name="short-sighted", size="paper").label == "short-sighted-paper"


def test_numbers_may_be_numpys_or_written_as_floats():
    config = resolve("Hopper-v4", steps=2e3, seed=np.int64(3), envs=np.int32(2))
    assert (config.steps, config.seed, config.envs) == (2_000, 3, 2)
    assert {type(n) for n in (config.steps, config.seed, config.envs)} == {int}
    assert resolve("Hopper-v4", steps=120).steps == 150
    assert resolve("Hopper-v4", env_kwargs={"a": np.float64(2), "b": (1, 2)}).environment_options == {
        "a": 2.0,
        "b": [1, 2],
    }


def test_values_in_pieces_are_made_what_their_fields_declare():
    body = MLP([32, np.int64(16)])
    own = replace(
        SAC, actor=replace(SAC.actor, body=body), batch=np.int64(64), discount=np.float64(0.5), policy_delay=2.0
    )
    recipe = resolve("Hopper-v4", own).recipe
    assert (recipe.actor.body.hidden, recipe.batch, recipe.discount, recipe.policy_delay) == ((32, 16), 64, 0.5, 2)
    assert type(recipe.batch) is type(recipe.policy_delay) is type(recipe.actor.body.hidden[1]) is int
    assert hash(recipe) == hash(replace(own, actor=replace(SAC.actor, body=MLP((32, 16))), batch=64, policy_delay=2))
    assert resolve("Hopper-v4", risk=CVaR(np.float64(0.25))).recipe.risk == CVaR(0.25)
    with pytest.raises(PacerError, match=r"recipe\.batch is 64\.5: expected a whole number"):
        resolve("Hopper-v4", replace(SAC, batch=64.5))
    with pytest.raises(PacerError, match=r"recipe\.actor\.body\.hidden\[1\] is 1\.5: expected"):
        resolve("Hopper-v4", replace(SAC, actor=replace(SAC.actor, body=MLP((32, 1.5)))))


def test_a_schedule_takes_whole_numbers_however_they_are_written():
    schedule = Schedule(warm_up=1e2, block=np.int64(25))
    assert (schedule, type(schedule.warm_up), type(schedule.block)) == (Schedule(warm_up=100, block=25), int, int)
    with pytest.raises(PacerError, match=r"warm_up is 1\.5: expected a whole number"):
        Schedule(warm_up=1.5)


def test_what_only_watches_a_run_is_not_in_its_label():
    often = {"schedule.evaluate_every": 1_000, "schedule.log_every": 500, "schedule.keep_replay": False}
    assert resolve("Hopper-v4", overrides=often).label == "pacer"
    assert resolve("Hopper-v4", overrides=often | {"schedule.updates": 25}).label == "pacer-updates_25"


def test_wrappers_and_the_agent_to_start_from_are_in_the_label():
    config = resolve("Hopper-v4", wrappers=["a.b:Slow", "c:Calm"], start_from="0123456789abcdef")
    assert config.label == "pacer-in_SlowxCalm-from_01234567"
    assert (config.wrappers, config.schedule.warm_up) == (("a.b:Slow", "c:Calm"), 0)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"recipe": "pacer-n"}, "unknown recipe 'pacer-n'. Did you mean pacer-"),
        ({"recipe": RECIPES["sac"]}, "recipe is a tuple: expected a name .* take the second"),
        ({"recipe": None}, "recipe is a NoneType"),
        ({"recipe": "sac", "risk": "cvar:0.25"}, "needs a distribution of returns"),
        ({"risk": "cvar"}, "expected cvar:LEVEL"),
        ({"risk": 0.25}, r"recipe\.risk is 0\.25: expected Risk"),
        ({"risk": "cvra:0.25"}, "unknown risk 'cvra'. Did you mean cvar"),
        ({"size": "huge"}, "unknown size 'huge': expected small or paper"),
        ({"steps": 0}, "steps is 0: expected a whole number from 1"),
        ({"steps": 1.5}, r"steps is 1\.5: expected a whole number"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": "0"}, "seed is '0'"),
        ({"envs": 0}, "envs is 0"),
        ({"name": "my run"}, "name is 'my run'"),
        ({"name": "../run"}, "name is '../run'"),
        ({"env_kwargs": {"task": object()}}, "cannot be written as JSON"),
        ({"overrides": {"critic.levels": 3}}, "It has recipe, schedule"),
        ({"overrides": {"recipe.critic.levles": 3}}, "Did you mean levels"),
    ],
)
def test_what_cannot_be_is_refused(arguments, message):
    with pytest.raises(PacerError, match=message):
        resolve("Hopper-v4", **arguments)


def test_recipe_and_schedule_share_no_field_name():
    """Labels leave out which of the two a field belongs to."""
    config = resolve("Hopper-v4")
    assert not vars(config.recipe).keys() & vars(config.schedule).keys()


@pytest.mark.parametrize(
    "changes",
    [
        {"replay_capacity": 1},
        {"evaluation_episodes": 0},
        {"checkpoint_every": 30},
        {"warm_up": -1},
        {"snapshot_every": 70},
    ],
)
def test_nonsense_schedules_are_refused(changes):
    with pytest.raises(ValueError, match=f"{next(iter(changes))} is {next(iter(changes.values()))}"):
        Schedule(**changes)


def test_the_package_has_it():
    assert pacer.resolve is resolve


KEPT = sorted((Path(__file__).parents[1] / "results" / "runs").rglob("config.json"))


def test_the_kept_runs_of_the_default_have_the_recipe_as_it_is_on_every_task():
    configs = [pacer.Run(path.parent).config for path in KEPT if path.parents[1].name == "pacer"]
    assert len({config.environment for config in configs}) >= 5
    assert {config.recipe for config in configs} == {PACER}


def test_the_kept_runs_have_the_recipes_after_which_they_are_named():
    """Greedy play apart, which is no part of training: some were evaluated by an earlier rule, as they say."""
    configs = [pacer.Run(path.parent).config for path in KEPT if path.parents[1].name in RECIPES]
    assert len({config.label for config in configs}) >= 12
    for config in configs:
        meant = resolve(config.environment, config.label).recipe
        assert replace(config.recipe, actor=meant.actor) == meant, config.label
        assert replace(config.recipe.actor, **greedy_of(meant.actor)) == meant.actor, config.label


def greedy_of(actor):
    return {"greedy_rule": actor.greedy_rule} if isinstance(actor, PushForward) else {}
