"""A worker that dies must not take the app with it."""

import os
import signal
import time
from pathlib import Path

from loky import ProcessPoolExecutor

from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import Jobs, State

DEADLINE = 60  # seconds, only so that a hanging pool fails


def wait(jobs: Jobs, config: RunConfig) -> State:
    end = time.monotonic() + DEADLINE
    while (state := jobs.state(config)) is State.RUNNING and time.monotonic() < end:
        time.sleep(0.02)
    return state


def test_after_a_worker_died_the_job_says_so_and_can_be_run_again(tmp_path: Path) -> None:
    executor = ProcessPoolExecutor(max_workers=1)
    jobs = Jobs(tmp_path, executor)
    worker = executor.submit(os.getpid).result()
    config = RunConfig.from_flat({"horizon": 5, "samples": 500})
    jobs.submit(config)
    os.kill(worker, signal.SIGKILL)
    assert wait(jobs, config) is State.FAILED
    assert "terminated" in jobs.failure(config)
    jobs.submit(config)
    assert wait(jobs, config) is State.DONE
