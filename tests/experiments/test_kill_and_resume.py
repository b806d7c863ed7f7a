"""A run killed at any moment goes on where it was and ends with the identical record."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.run import run
from ppe_core.experiments.store import Store
from ppe_core.experiments.workers import EmbeddedPool

CONFIG = RunConfig.from_flat({"horizon": 20, "samples": 1000, "seed": 4})
KILLS = 20
ROOT = Path(__file__).parents[2]


def test_twenty_kills_at_random_moments_change_nothing(tmp_path: Path, fingerprint) -> None:
    undisturbed = fingerprint(run(CONFIG))
    start = time.monotonic()
    run(CONFIG)
    duration = time.monotonic() - start
    pool = EmbeddedPool(2)  # while one starts anew, the other goes on
    jobs = Jobs(Store(tmp_path), pool)
    moments = random.Random(1)
    resumed_at = []
    while len(resumed_at) < KILLS:
        jobs.store.forget([CONFIG.id])
        jobs.submit([CONFIG])
        future, before = jobs._live[CONFIG.id].future, set(pool.pids)
        while not future.running():  # the workers are still starting
            time.sleep(0.001)
        time.sleep(moments.uniform(0, duration))
        if future.done():
            jobs.wait([CONFIG])
            continue  # it was faster than thought
        pool.kill(future)
        resumed_at.append(jobs.store.files.level_count(CONFIG.id))
        jobs.wait([CONFIG])
        assert len(before - set(pool.pids)) == 1  # one process was killed and replaced
        assert fingerprint(jobs.store.record(CONFIG)) == undisturbed
        assert not list((tmp_path / "runs" / CONFIG.id).glob("draft-*"))
    assert len(set(resumed_at)) > 5  # at many different levels
    jobs.close()


@pytest.mark.parametrize("end", ["sys.exit()", "time.sleep(60)"], ids=["an ordinary end", "SIGKILL"])
def test_workers_end_with_their_parent_however_it_ends(tmp_path: Path, end: str) -> None:
    code = f"""
import sys, time
from pathlib import Path
from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.store import Store
from ppe_core.experiments.workers import EmbeddedPool

pool = EmbeddedPool(2)
jobs = Jobs(Store(Path({str(tmp_path)!r})), pool)
long = RunConfig.from_flat({{"horizon": 200, "samples": 20_000}})
jobs.submit([long, long.replace(seed=1), long.replace(seed=2)])
while not jobs.store.files.level_count(long.id):
    time.sleep(0.05)
print(*pool.pids, flush=True)
{end}
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    workers = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(workers) == 2
    if "sleep" in end:
        parent.kill()
    parent.wait(timeout=10)  # it does not wait for the runs, which take minutes
    end_of_patience = time.monotonic() + 10
    while any(_runs(pid) for pid in workers):
        assert time.monotonic() < end_of_patience, "a worker outlived its parent"
        time.sleep(0.1)
    parent.stdout.close()


def _runs(pid: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
