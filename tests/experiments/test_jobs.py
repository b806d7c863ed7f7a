import json
import time
from pathlib import Path

import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import Jobs, State
from ppe_core.experiments.run import run

DEADLINE = 60  # seconds, only so that a broken pool fails instead of hanging


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("home"))


def wait(jobs: Jobs, config: RunConfig) -> State:
    end = time.monotonic() + DEADLINE
    while (state := jobs.state(config)) is State.RUNNING and time.monotonic() < end:
        time.sleep(0.02)
    return state


def test_a_job_in_another_process_gives_the_same_record(jobs: Jobs) -> None:
    config = RunConfig.from_flat({"horizon": 4, "samples": 300, "seed": 2})
    assert jobs.state(config) is State.ABSENT
    jobs.submit(config)
    assert wait(jobs, config) is State.DONE
    stored, here = jobs.store.record(config).summary(), run(config).summary()
    del stored["seconds"], here["seconds"]
    assert json.dumps(stored) == json.dumps(here)


def test_the_same_config_is_one_job(jobs: Jobs) -> None:
    config = RunConfig.from_flat({"horizon": 20, "samples": 1000, "seed": 5})
    for _ in range(3):
        jobs.submit(config)
    assert len([run_id for run_id in jobs._futures if run_id == config.id]) == 1
    future = jobs._futures[config.id]
    assert wait(jobs, config) is State.DONE
    jobs.submit(config)
    assert jobs._futures[config.id] is future


def test_a_new_server_finds_finished_runs(jobs: Jobs, tmp_path: Path) -> None:
    config = RunConfig.from_flat({"horizon": 2, "samples": 200})
    jobs.submit(config)
    assert wait(jobs, config) is State.DONE
    assert Jobs(jobs._home).state(config) is State.DONE


def test_a_failing_run_says_why(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    jobs = Jobs(blocked)
    config = RunConfig.from_flat({"horizon": 2, "samples": 200})
    jobs.submit(config)
    assert wait(jobs, config) is State.FAILED
    assert "NotADirectory" in jobs.failure(config) or "Not a directory" in jobs.failure(config)
