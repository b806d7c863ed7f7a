"""The same study through a real Dask scheduler with two worker processes."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ppe_core.experiments.index import Status
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.store import Store
from ppe_core.experiments.study import Study, table
from ppe_core.experiments.workers import EmbeddedPool, cluster_pool

ROOT = Path(__file__).parents[2]
STUDY = Study.from_json('{"base": {"horizon": 10}, "axes": {"noise": [0.1, 0.3], "samples": [500, 1000]}, "seeds": 5}')

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's own


class Cluster(NamedTuple):
    address: str
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
    yield Cluster(address, workers)
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


def _connected(cluster: Cluster):
    pool = cluster_pool(cluster.address)
    end = time.monotonic() + 60
    while pool.width() < 2:
        assert time.monotonic() < end, "the workers did not come"
        time.sleep(0.2)
    return pool
