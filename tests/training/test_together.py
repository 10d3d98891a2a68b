"""Several seeds in one compiled block: the runs are those that each would be alone, up to rounding."""

import shutil
import signal
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pacer import learner
from pacer.errors import PacerError
from pacer.observers import Warned
from pacer.pieces.numbers import apart
from pacer.runs.arrays import load_arrays
from pacer.training.execute import execute_together
from pacer.training.stopping import Stopped
from tests.small import SMALL_RECIPES
from tests.test_learner import SCALING, blocks, close, start
from tests.tiny_runs import configuration, newest, once, results, send, told, train
from tests.worlds import Drift

pytestmark = pytest.mark.xdist_group("training")
SEEDS = (0, 1, 2)


def stacked(recipe, seeds=SEEDS):
    """What `learn_together` is given for these seeds."""
    rows = [(start(recipe, s), blocks(recipe, seed=s), SCALING, jax.random.key(s)) for s in seeds]
    states, *others = jax.tree.map(lambda *parts: jnp.stack(parts), *rows)
    return states._replace(updates=rows[0][0].updates), *others


def stop():
    send(signal.SIGTERM)


def train_together(folder, seeds=SEEDS, make=Drift, observers=None, **changes):
    runs = {folder / str(seed): configuration(seed=seed, **changes) for seed in seeds}
    return execute_together(runs, make, observers or {}, len(SEEDS))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pacer", "td3"])
def test_a_block_of_several_runs_is_that_of_each(name):
    recipe = SMALL_RECIPES[name]
    states, metrics, finite = learner.learn_together(recipe, *stacked(recipe))
    assert finite.tolist() == [True] * len(SEEDS)
    for k, seed in enumerate(SEEDS):
        given = start(recipe, seed), blocks(recipe, seed=seed), SCALING, jax.random.key(seed)
        alone, told_alone, _ = learner.learn(recipe, *given)
        of_run = jax.tree.map(lambda part, k=k: part[k], states._replace(updates=None))
        # Adam makes a whole step, 3e-4, of the least gradient: where that is mostly rounding, parameters show it.
        close(of_run, alone._replace(updates=None), atol=1e-5)
        close({name: values[k] for name, values in metrics.items()}, told_alone)
        assert states.updates == alone.updates


def test_one_run_that_diverges_is_told_from_the_others():
    recipe = SMALL_RECIPES["td3"]
    states, batches, *others = stacked(recipe)
    spoiled = batches._replace(reward=batches.reward.at[1].set(jnp.nan))
    assert learner.learn_together(recipe, states, spoiled, *others)[2].tolist() == [True, False, True]


def test_a_delayed_step_of_the_actor_is_skipped_and_not_masked():
    """A choice between two branches stays one where all runs choose the same."""

    def choices(delay):
        recipe = replace(SMALL_RECIPES["td3"], policy_delay=delay)
        return learner.compiled_learn_together.lower(*apart(recipe), *stacked(recipe)).as_text().count("stablehlo.case")

    assert choices(2) > choices(1)


def test_runs_together_are_the_runs_alone(tmp_path):
    """In every file; the numbers that were learned agree up to rounding, as long as no episode has gone another way."""
    assert train_together(tmp_path / "together", steps=60) == {}
    for seed in SEEDS:
        train(tmp_path / "alone" / str(seed), steps=60, seed=seed)
        together, alone = (tmp_path / kind / str(seed) for kind in ("together", "alone"))
        assert results(together).keys() == results(alone).keys()
        learned, expected = (load_arrays(newest(run) / "state.safetensors") for run in (together, alone))
        assert learned.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_allclose(learned[name], value, rtol=1e-2, atol=1e-4, err_msg=name)


@pytest.mark.slow
def test_runs_that_were_interrupted_apart_go_on_to_the_same_bytes(tmp_path):
    assert train_together(tmp_path / "unbroken") == {}
    ended = once(150, stop)
    with pytest.raises(Stopped):
        train_together(tmp_path / "broken", observers={tmp_path / "broken/0": [ended]})
    shutil.rmtree(newest(tmp_path / "broken/1"))  # as if it had not been written
    assert train_together(tmp_path / "broken") == {}
    for seed in SEEDS:
        assert results(tmp_path / "broken" / str(seed)) == results(tmp_path / "unbroken" / str(seed))


@pytest.mark.slow
def test_a_run_that_fails_leaves_the_others_alone(tmp_path):
    made = []

    class Third(Drift):
        """Breaks in the worlds of the second run: each has one to train and one to evaluate in."""

        def __init__(self):
            super().__init__()
            self.steps, self.number = 0, len(made)
            made.append(self)

        def step(self, action):
            self.steps += 1
            if self.number == 2 and self.steps > 100:
                raise RuntimeError("the motor is too hot")
            return super().step(action)

    (failed,) = train_together(tmp_path, make=Third).items()
    assert failed[0] == tmp_path / "1"
    assert isinstance(failed[1], PacerError)
    assert "the motor is too hot" in str(failed[1])
    assert [(tmp_path / str(seed) / "DONE").exists() for seed in SEEDS] == [True, False, True]
    assert newest(tmp_path / "1").name.isdigit()


@pytest.mark.slow
def test_a_run_that_goes_on_alone_is_not_called_exact(tmp_path):
    with pytest.raises(Stopped):
        train_together(tmp_path, observers={tmp_path / "0": [once(100, stop)]})
    warnings = []
    train(tmp_path / "0", observers=[told(Warned, warnings)])
    (warning,) = warnings
    assert warning.message.endswith("another runs_together (3 there, 1 here)")


@pytest.mark.slow
def test_a_folder_that_cannot_be_used_is_told_and_the_others_are_trained(tmp_path):
    train(tmp_path / "1", seed=1, steps=20, learn_after=10)
    (failed,) = train_together(tmp_path, steps=60).items()
    assert failed[0] == tmp_path / "1"
    assert "differs in" in str(failed[1])
    assert [(tmp_path / str(seed) / "DONE").exists() for seed in (0, 2)] == [True, True]


@pytest.mark.slow
def test_a_closed_terminal_saves_all_runs(tmp_path):
    found = []
    observers = [
        once(70, lambda: send(signal.SIGHUP)),
        once(90, lambda: found.extend(newest(tmp_path / str(seed)).name for seed in SEEDS)),
    ]
    assert train_together(tmp_path, steps=100, observers={tmp_path / "0": observers}) == {}
    assert found == ["70"] * len(SEEDS)


@pytest.mark.slow
def test_one_run_is_the_run_alone(tmp_path):
    train(tmp_path / "alone", steps=60)
    assert execute_together({tmp_path / "mapped": configuration(steps=60)}, Drift, {}, 1) == {}
    assert results(tmp_path / "mapped") == results(tmp_path / "alone")
