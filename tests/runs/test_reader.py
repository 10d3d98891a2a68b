"""Reading a run: from its files alone, while it goes and after it was left."""

import json
import subprocess
import sys

import numpy as np
import pytest

from pacer.agent import Agent
from pacer.errors import PacerError
from pacer.runs.codec import encode
from pacer.runs.folder import RunFolder
from pacer.runs.reader import Run
from tests.tiny_runs import STEPS, configuration, everything, train
from tests.worlds import Drift

pytestmark = pytest.mark.xdist_group("training")
ENV = "tests.worlds:Drift-v0"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "drift"
    train(folder)
    return Run(folder)


def begun(path, config=None):
    """A run that has just begun, and holds its lock."""
    config = config or configuration()
    folder = RunFolder(path, encode(config), config.steps, True, {})
    folder.begin()
    return folder


def test_a_run_tells_what_was_asked_and_what_came_of_it(run):
    before = everything(run.path)
    assert run.config == configuration()
    assert run.settings == encode(configuration())
    assert run.facts["bit_exact"] is True
    assert run.status == "finished"
    scored = run.evaluations()
    assert set(scored["mode"]) == {"greedy", "sampled"}
    assert sorted(set(scored["step"])) == [50, 100, 150, 200]
    assert scored["return"].dtype == float
    assert run.progress()["step"].tolist() == run.timings()["step"].tolist() == list(range(20, STEPS + 1, 20))
    assert np.isfinite(run.progress()["critic_loss"]).all()
    assert everything(run.path) == before


def same(one, other):
    observations = np.random.default_rng(0).normal(size=(4, 3))
    return np.array_equal(
        one.predict(observations, deterministic=True)[0], other.predict(observations, deterministic=True)[0]
    )


def test_agents_are_found_by_name_and_by_step(run):
    assert run.snapshots() == [20, 100, 200]
    kept = run.agents()
    assert kept.items() >= {20: "snapshots/20", 100: "snapshots/100", 200: "snapshots/200"}.items()
    assert same(run.agent(), Agent.load(run.path / "agent"))
    assert same(run.agent("best"), Agent.load(run.path / "best"))
    assert same(run.agent(20), Agent.load(run.path / "snapshots" / "20"))
    assert not same(run.agent(20), run.agent())
    for missing in (77, "77", "worst"):
        with pytest.raises(
            PacerError, match=rf"holds no agent {missing}: it holds those of the steps 20 \(snapshots/20/\)"
        ):
            run.agent(missing)


def test_the_step_of_the_best_agent_is_that_of_its_score(run):
    scored = run.evaluations()
    means = {
        s: scored["return"][(scored["step"] == s) & (scored["mode"] == "greedy")].mean() for s in set(scored["step"])
    }
    best = max(means, key=means.get)
    assert same(run.agent(int(best)), run.agent("best"))


@pytest.mark.parametrize("inside", ["best", "snapshots/20"])
def test_a_path_to_an_agent_names_its_run_and_that_agent(run, inside, monkeypatch):
    assert Run(run.path / inside).path == run.path
    assert same(Run(run.path / inside).agent(), Agent.load(run.path / inside))
    monkeypatch.chdir(run.path / inside)
    assert same(Run(".").agent(), Agent.load(run.path / inside))


@pytest.mark.parametrize("inside", [".", "nothing", "best", "snapshots/5"])
def test_a_folder_that_is_no_run_is_refused(tmp_path, inside):
    with pytest.raises(PacerError, match=r"is not a run folder: it has no config\.json"):
        Run(tmp_path / inside)


def test_a_file_of_another_program_is_no_run(tmp_path):
    (tmp_path / "config.json").write_text('{"model": "large"}')
    assert Run.find(tmp_path) == []
    with pytest.raises(PacerError, match="is of format None"):
        Run(tmp_path).settings  # noqa: B018


def test_the_status_tells_a_run_that_goes_from_one_that_was_left(tmp_path):
    folder = begun(tmp_path)
    assert Run(tmp_path).status == "running"
    for status in ("failed", "stopped"):
        folder.describe(status=status)
        assert Run(tmp_path).status == status
    folder.describe(status="running")
    folder.close()
    assert Run(tmp_path).status == "interrupted"
    begun(tmp_path).close()  # having looked does not lock
    (tmp_path / ".lock").unlink()
    assert Run(tmp_path).status == "interrupted"


def test_a_run_without_results_has_empty_logs(tmp_path):
    begun(tmp_path).close()
    run = Run(tmp_path)
    assert [len(log["step"]) for log in (run.progress(), run.timings(), run.evaluations())] == [0, 0, 0]
    assert run.agents() == {}
    with pytest.raises(PacerError, match="holds no agent agent: it holds those of the steps none yet"):
        run.agent()


def test_all_runs_below_a_folder_are_found(tmp_path):
    for name in ("b/seed0", "a/seed1", "a/seed0"):
        begun(tmp_path / name).close()
    (tmp_path / "notes").mkdir()
    assert [str(run.path.relative_to(tmp_path)) for run in Run.find(tmp_path)] == ["a/seed0", "a/seed1", "b/seed0"]
    assert [run.path for run in Run.find(tmp_path / "b" / "seed0")] == [tmp_path / "b" / "seed0"]


def test_a_world_is_the_runs_own_or_one_that_was_named(run, tmp_path):
    world = run.world()
    assert (world.name, type(world.env.unwrapped)) == ("Drift-v0", Drift)
    assert run.world("Pendulum-v1").name == "Pendulum-v1"
    assert run.world(Drift).name == "Drift-v0"


def test_a_module_is_imported_only_if_it_was_typed(tmp_path):
    begun(tmp_path, configuration(environment=ENV)).close()
    with pytest.raises(PacerError, match=f"was trained on {ENV}: name its environment with --env"):
        Run(tmp_path).world()
    assert type(Run(tmp_path).world(ENV).env.unwrapped) is Drift


def test_options_are_taken_only_if_they_are_repeated(tmp_path):
    folder = begun(tmp_path, configuration(environment="Pendulum-v1"))
    folder.close()
    content = json.loads((tmp_path / "config.json").read_text())
    content["config"]["environment_options"] = {"g": 5.0}
    (tmp_path / "config.json").write_text(json.dumps(content))
    run = Run(tmp_path)
    with pytest.raises(PacerError, match=r"options of the environment: repeat them with --env-kwargs '{\"g\": 5\.0}'"):
        run.world()
    assert run.world(options={"g": 2.0}).env.unwrapped.g == 2.0
    assert run.environment("Hopper-v4") == ("Hopper-v4", {})


def test_reading_a_run_needs_no_jax_and_its_configuration_finds_every_piece(run):
    code = (
        "import sys; from pacer.runs.reader import Run; run = Run(sys.argv[1]); "
        "run.settings, run.facts, run.status, run.evaluations(), run.agents(); "
        "assert 'jax' not in sys.modules; run.config, run.agent(); assert 'jax' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code, str(run.path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
