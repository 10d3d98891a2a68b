"""Reference data: the paper's numbers under our names, and what was published at so many steps."""

import pytest

from pacer.recipes import RECIPES
from pacer.reports import reference
from pacer.reports.reference import Score, paper_name, paper_score, paper_task, sac_level


def test_the_papers_numbers_go_by_our_names():
    assert paper_score("pacer-m", "Ant-v4") == paper_score("pacer-m-paper", "Ant-v4") == Score(6386, 378)
    assert paper_score("pacer-m-adaptive", "Hopper-v4") == Score(3772.11)
    assert paper_score("m0p0", "HumanoidStandup-v4") == Score(161008)
    assert paper_score("dsac", "HumanoidStandup-v4") == Score(168293, 23916)
    assert paper_score("td3", "pacer/CarNavigation4-v0") == Score(107, 77)


@pytest.mark.parametrize("label", ["pacer-m-critic.levels_64", "sac-warm_up_0", "sac-fixed", "tqc", "my-own"])
def test_a_changed_recipe_is_not_the_papers(label):
    assert paper_name(label) is None
    assert paper_score(label, "Ant-v4") is None


@pytest.mark.parametrize("environment", ["Ant-v5", "Pendulum-v1", "pacer/RiskyHalfCheetah-v0", "module:Ant-v4"])
def test_other_environments_have_no_reference(environment):
    assert paper_task(environment) is None
    assert reference.published(environment) == []
    assert sac_level(environment, 10**6) is None


def test_every_name_is_a_recipe_and_has_a_number():
    assert set(reference.PAPER_NAMES) <= set(RECIPES)
    assert all(paper_score(name, "HumanoidStandup-v4") for name in reference.PAPER_NAMES)


def test_sac_is_judged_at_the_same_number_of_steps():
    assert (sac_level("Hopper-v4", 120_000).steps, sac_level("Hopper-v4", 120_000).score) == (100_000, 1104)
    assert sac_level("Hopper-v4", 20_000).steps == 50_000
    assert sac_level("Hopper-v4", 10**7).steps == 10**6
    assert sac_level("HumanoidStandup-v4", 10**5).score == 147349


def test_published_levels_say_what_they_are_made_of():
    levels = {(level.method, level.steps): level for level in reference.published("Ant-v4")}
    assert levels["TD3 u1", 10**6].note == "10, v1 envs"
    assert levels["SAC u1", 10**5].score == 747
