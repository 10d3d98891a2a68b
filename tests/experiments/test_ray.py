"""A real Ray cluster of two nodes on this machine, one of which is killed in the middle."""

import subprocess
import time

import pytest

from tests.experiments.sweeps import bench, command, finished, write_sweep

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]


@pytest.fixture
def cluster(monkeypatch):
    """A head without CPUs, where the driver is, and two nodes with one each, on which environments are slow."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PACER_TEST_SLEEP", "0.05")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    made.workers = [made.add_node(num_cpus=1) for _ in range(2)]
    yield made
    made.shutdown()


@pytest.mark.parametrize("scratch", [False, True], ids=["shared", "scratch"])
def test_an_experiment_survives_the_loss_of_a_node(tmp_path, cluster, scratch):
    sweep = write_sweep(tmp_path, "Slow-v0")
    local, far = tmp_path / "local", tmp_path / "far"
    for folder in (local, far):
        folder.mkdir()
    assert bench(local, sweep, PACER_TEST_SLEEP="0").returncode == 0
    words = ["--on", "ray", "--address", cluster.address, *(["--scratch", tmp_path / "node"] if scratch else [])]
    with (tmp_path / "told.txt").open("w+") as told:
        process = subprocess.Popen(command(sweep, *words), cwd=far, stdout=told, stderr=told)
        end = time.monotonic() + 200
        while len(list(far.rglob("checkpoint/50"))) < 2:
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.1)
        cluster.remove_node(cluster.workers[0], allow_graceful=False)
        assert process.wait(300) == 0
        told.seek(0)
        assert "it goes on from its checkpoint elsewhere" in told.read()
    assert finished(far) == finished(local)
    assert not list((far / "runs").glob(".pacer-*"))


def test_without_a_cluster_the_command_says_what_to_do(tmp_path):
    pytest.importorskip("ray")
    told = bench(tmp_path, "quick", "--on", "ray", "--address", "127.0.0.1:1")
    assert told.returncode == 1
    assert "ray start --head" in told.stderr
