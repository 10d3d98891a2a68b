"""A real simulator: its state after a stop is only what replaying the episode's actions makes it."""

import pytest

from pacer.envs.make import maker
from pacer.recipes import RECIPES
from pacer.runs.files import load_json
from tests.tiny_runs import TINY, lanes, results, stop_at, train


@pytest.mark.xdist_group("hopper")
def test_hopper_stopped_and_started_gives_the_bytes_of_an_unbroken_run(tmp_path):
    hopper = {
        "make": maker("Hopper-v4", {}),
        "environment": "Hopper-v4",
        "recipe": TINY.apply(RECIPES["m0p1g"][1]),
        "steps": 300,
        "evaluation_episodes": 1,
    }
    train(tmp_path / "unbroken", **hopper)
    for step in (110, 150, 240):
        stop_at(tmp_path / "broken", step, **hopper)
        assert lanes(tmp_path / "broken")["steps"] > 0
    train(tmp_path / "broken", **hopper)
    assert results(tmp_path / "broken") == results(tmp_path / "unbroken")
    assert load_json(tmp_path / "broken" / "run.json")["bit_exact"] is True
