"""Functions that make environments are told apart by what they do, not by their names."""

import functools
import sys
import types

import gymnasium
import numpy as np
import pytest

from pacer.envs.identity import identity, identity_of

SCRIPT = """
import gymnasium
GRAVITY = {gravity}
OPTIONS = {{"wind": {wind}}}
log, made = [], 0
def reward(position):
    "{doc}"  # {doc}
    log.append(position)
    return -abs(position) * {factor} - OPTIONS["wind"]
class Base(gymnasium.Env):
    action_space = gymnasium.spaces.Box(-1, {high}, (2,))
    steps = 0
    def step(self, action):
        Base.steps += 1
        return reward(action) if {{"a", "b"}} else GRAVITY
class Own(Base):
    @property
    def colour(self): return {colour}
def make():
    global made
    made += 1
    return Own()
"""


def script(**changes):
    module = {"__name__": "a_script_of_mine"}
    values = {"gravity": 9.81, "wind": 2, "doc": "what is paid", "factor": 1, "high": 1, "colour": 1, **changes}
    exec(SCRIPT.format(**values), module)
    return module


@pytest.mark.parametrize("change", ["gravity", "wind", "factor", "high", "colour"])
def test_all_of_the_users_code_counts(change):
    assert identity(script(**{change: 7})["make"]) != identity(script()["make"])


def test_words_about_it_and_what_it_keeps_while_it_runs_do_not_count():
    module = script(doc="what it costs")
    assert identity(module["make"]) == identity(script()["make"])
    module["make"]().step(0)
    assert (module["made"], module["Base"].steps, module["log"]) == (1, 1, [0])
    assert identity(module["make"]) == identity(script()["make"])


PHYSICS = """
import functools
@functools.lru_cache
def cached(): return {cached}
def plain(): return {plain}
def unused(): return {unused}
"""


def test_functions_of_other_modules_of_ones_own_and_behind_caches_count(tmp_path, monkeypatch):
    def told(**changes):
        physics = types.ModuleType("my_physics")
        physics.__file__ = str(tmp_path / "my_physics.py")
        monkeypatch.setitem(sys.modules, "my_physics", physics)
        exec(PHYSICS.format(**{"cached": 1, "plain": 1, "unused": 1, **changes}), vars(physics))
        script = {"__name__": "a_script_of_mine", "physics": physics}
        exec("def make(): return physics.plain() + physics.cached()", script)
        return identity(script["make"])

    assert len({told(), told(plain=2), told(cached=2)}) == 3
    assert told(unused=2) == told()


class Own(gymnasium.Env):
    def __init__(self, size=1, table=None):
        self.size = size


def test_arguments_count_however_they_are_given():
    def lambdas(size):
        return lambda: Own(size)

    made = [
        Own,
        lambda: Own(),
        lambda: Own(2),
        lambdas(1),
        lambdas(2),
        functools.partial(Own, 2),
        functools.partial(Own, size=2),
        functools.partial(Own, table=np.arange(3)),
        functools.partial(Own, table=np.arange(4)),
        functools.partial(Own, table={"a", "b"}),
        lambda size=3: Own(size),
        Own(1).reset,
        Own(2).reset,
    ]
    assert len({identity(make) for make in made}) == len(made)
    assert identity(lambdas(1)) == identity(lambdas(1))
    assert identity(functools.partial(Own, 2)) == identity(functools.partial(Own, 2))


def test_by_its_id_an_environment_counts_where_it_is_the_users(monkeypatch):
    def registered(steps, **options):
        monkeypatch.delitem(gymnasium.registry, "Own-v0", raising=False)
        gymnasium.register("Own-v0", Own, max_episode_steps=steps, kwargs=options)
        return identity_of("Own-v0")

    told = [registered(5), registered(6), registered(5, size=2), identity_of("Own-v0", [f"{__name__}:Calm"])]
    assert "" not in told
    assert len(set(told)) == 4
    assert registered(5) == told[0]
    libraries = ("gymnasium.wrappers:FlattenObservation",)
    assert [identity_of(name, libraries) for name in ("Pendulum-v1", "pacer/CarNavigation1-v0")] == ["", ""]
    assert [identity_of(name) for name in ("Nothing-v0", "nowhere:Nothing-v0", "Pendulum")] == ["", "", ""]
    assert identity_of("Pendulum-v1", [f"{__name__}:Calm"])
    assert (
        identity_of("Pendulum-v1", [f"{__name__}:short"]) != identity_of("Pendulum-v1", [f"{__name__}:shorter"]) != ""
    )


class Calm(gymnasium.Wrapper):
    pass


short, shorter = (functools.partial(gymnasium.wrappers.TimeLimit, max_episode_steps=steps) for steps in (60, 30))
