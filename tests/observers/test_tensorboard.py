"""TensorBoard's files: read back by our own reader, and by TensorBoard itself where it is installed."""

import pytest

from tests.observers.test_tracking import dies_at
from tests.tiny_runs import train

pytest.importorskip("tensorboardX")

from pacer.observers.tensorboard import TensorBoard, figures_in


def told(folder):
    """All figures but times."""
    return sorted(figure for figure in figures_in(folder) if not figure[1].startswith("time/"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The figures of a run, and of the same that died twice: once before its first checkpoint."""
    root = tmp_path_factory.mktemp("runs")
    train(root / "one", steps=120, observers=[TensorBoard(root / "whole", every=20)])
    for step in (40, 90):
        with pytest.raises(MemoryError):
            train(root / "two", steps=120, observers=[TensorBoard(root / "broken", every=20), dies_at(step)])
    train(root / "two", steps=120, observers=[TensorBoard(root / "broken", every=20)])
    return root


def test_a_run_is_told_with_the_usual_tags(runs):
    figures = told(runs / "whole")
    at = {tag: [step for step, name, _ in figures if name == tag] for _, tag, _ in figures}
    assert at["eval/mean_reward"] == at["eval/mean_reward_sampled"] == at["eval/mean_ep_length"] == [50, 100, 120]
    assert at["rollout/ep_rew_mean"] == [20, 40, 60, 80, 100, 120]
    assert {"train/critic_loss", "train/weight", "train/log_density"} <= set(at)


def test_a_run_that_goes_on_has_every_figure_once(runs):
    assert len(list((runs / "broken").iterdir())) == 3
    assert told(runs / "broken") == told(runs / "whole")


def test_half_a_record_at_the_end_is_not_read(runs, tmp_path):
    (file,) = (runs / "whole").iterdir()
    (tmp_path / file.name).write_bytes(file.read_bytes()[:-3])
    assert len(figures_in(tmp_path)) < len(figures_in(runs / "whole"))


@pytest.mark.slow
def test_tensorboard_itself_reads_every_figure_once(runs):
    module = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    for folder in ("whole", "broken"):
        read = module.EventAccumulator(str(runs / folder)).Reload()
        scalars = [(e.step, tag, e.value) for tag in read.Tags()["scalars"] for e in read.Scalars(tag)]
        assert sorted(figure for figure in scalars if not figure[1].startswith("time/")) == told(runs / folder)
