"""The same study through a real Dask scheduler with two worker processes."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from ppe_core.experiments.index import Status
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.store import Store
from ppe_core.experiments.study import Study, table
from ppe_core.experiments.workers import ClusterError, ClusterPool, EmbeddedPool

ROOT = Path(__file__).parents[2]
STUDY = Study.from_json('{"base": {"horizon": 10}, "axes": {"noise": [0.1, 0.3], "samples": [500, 1000]}, "seeds": 5}')

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's own


class Cluster(NamedTuple):
    address: str
    scheduler: subprocess.Popen
    workers: list[subprocess.Popen]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
    log = (tmp_path / "cluster.log").open("w")

    def start(*arguments: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)

    scheduler = start("scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2])
    folders = ["--local-directory", str(tmp_path)]
    workers = [start("worker", address, "--no-nanny", "--nthreads", "1", *folders) for _ in range(2)]
    yield Cluster(address, scheduler, workers)
    for process in (*workers, scheduler):
        process.kill()
        process.wait()
    log.close()


def test_a_cluster_gives_identical_rows_and_a_killed_worker_loses_nothing(cluster: Cluster, tmp_path: Path) -> None:
    here = Jobs(Store(tmp_path / "here"), EmbeddedPool(2))
    here.submit(STUDY.configs())
    here.wait(STUDY.configs())
    pool = _connected(cluster)
    there = Jobs(Store(tmp_path / "there"), pool)
    there.submit(STUDY.configs())
    while sum(there.status(config) is Status.DONE for config in STUDY.configs()) < 3:
        time.sleep(0.01)
    os.kill(cluster.workers[0].pid, signal.SIGKILL)
    there.wait(STUDY.configs())
    rows = [table(STUDY, jobs.store.summaries(STUDY.configs())) for jobs in (here, there)]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 20
    there.close()
    here.close()


def test_a_scheduler_that_dies_fails_its_jobs_in_clear_words_and_keeps_what_is_finished(
    cluster: Cluster, tmp_path: Path
) -> None:
    jobs = Jobs(Store(tmp_path / "home"), _connected(cluster))
    runs = [STUDY.base.replace(horizon=100, samples=5000, seed=seed) for seed in range(4)]
    jobs.submit(runs)
    while not jobs.store.files.level_count(runs[0].id):
        time.sleep(0.01)
    cluster.scheduler.kill()
    jobs.wait(runs)
    assert {jobs.status(config) for config in runs} == {Status.FAILED}
    assert "scheduler" in jobs.failure(runs[0]) and cluster.address in jobs.failure(runs[0])
    assert jobs.store.files.level_count(runs[0].id) > 0
    jobs.close()


def _connected(cluster: Cluster) -> ClusterPool:
    """Once the scheduler answers and both workers are there."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with suppress(ClusterError):
            pool = ClusterPool(cluster.address)
            while pool.width() < 2 and time.monotonic() < end:
                time.sleep(0.2)
            return pool
        time.sleep(0.2)
    pytest.fail("the scheduler did not come")
