"""Jobs in real worker processes: joined, cancelled, limited, fair, resumed."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.estimate import Estimates
from ppe_core.experiments.index import Status
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.limits import LimitExceeded, Limits
from ppe_core.experiments.run import run
from ppe_core.experiments.store import Store
from ppe_core.experiments.work import Task
from ppe_core.experiments.workers import EmbeddedPool, ExecutorPool, Pool

SMALL = RunConfig.from_flat({"horizon": 4, "samples": 300, "seed": 2})
LONG = RunConfig.from_flat({"horizon": 200, "samples": 5000})  # half a minute
GRID = RunConfig.from_flat({"env": "grid", "horizon": 8, "samples": 5000})  # a minute
DEADLINE = 60  # seconds, only so that what is broken fails instead of hanging


def wait_until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


def test_a_job_in_another_process_gives_the_same_record(jobs: Jobs, fingerprint) -> None:
    assert jobs.status(SMALL) is None
    jobs.submit([SMALL])
    jobs.wait([SMALL])
    assert jobs.status(SMALL) is Status.DONE
    assert fingerprint(jobs.store.record(SMALL)) == fingerprint(run(SMALL))


def test_the_same_config_is_one_job(jobs: Jobs) -> None:
    jobs.pool = Recording(jobs.pool)
    for _ in range(3):
        jobs.submit([SMALL, SMALL], visitor="someone")
    jobs.wait([SMALL])
    jobs.submit([SMALL])
    assert len(jobs.pool.submitted) == 1


class Recording:
    """A pool that remembers what was submitted to another."""

    def __init__(self, pool: Pool) -> None:
        self._pool, self.submitted = pool, []
        self.width, self.kill, self.check = pool.width, pool.kill, pool.check

    def submit(self, task: Task) -> Future:
        self.submitted.append(task)
        return self._pool.submit(task)


def test_a_run_of_another_server_is_joined_and_not_run_twice(jobs: Jobs, pool: Pool) -> None:
    config = SMALL.replace(horizon=30, samples=2000)
    other = Jobs(Store(jobs.store.home), Recording(pool))
    jobs.submit([config])
    other.submit([config])
    assert other.status(config) in (Status.QUEUED, Status.RUNNING)
    other.wait([config])
    assert other.status(config) is Status.DONE
    assert other.pool.submitted == []


def test_a_new_server_finds_finished_runs(jobs: Jobs, pool: Pool) -> None:
    jobs.submit([SMALL])
    jobs.wait([SMALL])
    assert Jobs(Store(jobs.store.home), pool).status(SMALL) is Status.DONE


@pytest.mark.parametrize("config", [LONG, GRID], ids=["lock", "grid"])
def test_cancel_stops_a_run_keeps_its_levels_and_leaves_no_process_at_it(config: RunConfig, tmp_path: Path) -> None:
    pool = EmbeddedPool(1)
    jobs = Jobs(Store(tmp_path), pool)
    jobs.submit([config])
    wait_until(lambda: jobs.store.files.level_count(config.id) >= 1)
    (worker,) = pool.pids
    jobs.cancel([config])
    jobs.wait([config])
    assert jobs.status(config) is Status.STOPPED
    levels = jobs.store.files.level_count(config.id)
    time.sleep(0.5)
    assert 1 <= jobs.store.files.level_count(config.id) == levels < config.horizon
    assert is_gone_or_idle(worker)
    jobs.close()
    wait_until(lambda: not Path(f"/proc/{worker}").exists())


def is_gone_or_idle(pid: int) -> bool:
    def ticks() -> int:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()
        except FileNotFoundError:
            return 0
        return 0 if fields[0] == "Z" else int(fields[11]) + int(fields[12])

    before = ticks()
    time.sleep(0.5)
    return ticks() - before <= 5  # hundredths of a second


def test_a_worker_that_does_not_listen_is_killed(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs.store.files, "ask_to_stop", lambda run_id: None)
    jobs.submit([LONG])
    wait_until(lambda: jobs.store.files.level_count(LONG.id) >= 1)
    jobs.cancel([LONG])
    jobs.wait([LONG])
    assert jobs.status(LONG) is Status.STOPPED


def test_a_cancelled_run_goes_on_where_it_stopped(jobs: Jobs, fingerprint) -> None:
    config = RunConfig.from_flat({"horizon": 60, "samples": 1000, "seed": 1})
    jobs.submit([config])
    wait_until(lambda: jobs.store.files.level_count(config.id) >= 3)
    jobs.cancel([config])
    jobs.wait([config])
    assert jobs.status(config) is Status.STOPPED
    jobs.submit([config])
    jobs.wait([config])
    assert fingerprint(jobs.store.record(config)) == fingerprint(run(config))


def test_a_queued_run_is_cancelled_without_a_worker(jobs: Jobs) -> None:
    waiting = [LONG.replace(seed=seed) for seed in range(4)]
    jobs.submit(waiting)
    jobs.cancel(waiting[2:])
    assert [jobs.status(config) for config in waiting[2:]] == [Status.STOPPED] * 2
    jobs.cancel(waiting)
    jobs.wait(waiting)
    assert {jobs.status(config) for config in waiting} == {Status.STOPPED}


def test_a_run_that_takes_too_long_is_stopped_and_says_so(tmp_path: Path, pool: Pool) -> None:
    jobs = Jobs(Store(tmp_path), pool, Limits(seconds=1, horizon=200))
    jobs._estimates = Estimates([(LONG, 0.5)] * 3)  # believed to be fast
    jobs.submit([LONG], visitor="someone")
    jobs.wait([LONG])
    assert jobs.status(LONG) is Status.FAILED
    assert "longer than the 1 seconds" in jobs.failure(LONG)


def test_visitors_take_turns(tmp_path: Path) -> None:
    pool = EmbeddedPool(1)
    jobs = Jobs(Store(tmp_path), pool)
    study = [SMALL.replace(seed=seed) for seed in range(20)]
    single = SMALL.replace(seed=100)
    jobs.submit(study, visitor="with a study")
    jobs.submit([single], visitor="in a hurry")
    assert jobs.progress(single).position <= 2
    jobs.wait([single])
    assert sum(jobs.status(config) is Status.DONE for config in study) < 10
    jobs.close()


def test_thirty_submissions_from_ten_visitors_all_finish(jobs: Jobs) -> None:
    mine = {f"visitor {i}": [SMALL.replace(seed=10 * i + k) for k in range(3)] for i in range(10)}
    for visitor, configs in mine.items():
        for config in configs:
            jobs.submit([config], visitor)
    everything = [config for configs in mine.values() for config in configs]
    jobs.wait(everything)
    assert {jobs.status(config) for config in everything} == {Status.DONE}


@pytest.mark.parametrize(
    ("limits", "config", "words"),
    [
        (Limits(queued=2), None, ["queued", "allows 2"]),
        (Limits(horizon=3), SMALL, ["horizon: 4", "3"]),
        (Limits(samples=200), SMALL, ["samples: 300", "200"]),
        (Limits(paths=500), SMALL, ["paths: 1000", "500"]),
        (Limits(seconds=5), GRID, ["seconds", "5"]),
        (Limits(megabytes=50), GRID, ["megabytes", "50"]),
    ],
    ids=["queue", "horizon", "samples", "paths", "seconds", "megabytes"],
)
def test_a_visitor_cannot_start_more_than_is_allowed(jobs: Jobs, limits: Limits, config, words: list[str]) -> None:
    jobs.limits = limits
    asked = [config] if config else [SMALL.replace(seed=seed) for seed in range(3)]
    with pytest.raises(LimitExceeded) as refused:
        jobs.submit(asked, visitor="someone")
    assert all(word in str(refused.value) for word in words)
    assert all(jobs.status(one) is None for one in asked)


def test_limits_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPE_LIMIT_HORIZON", "7")
    assert Limits.from_environment() == Limits(horizon=7)
    monkeypatch.setenv("PPE_LIMIT_QUEUED", "many")
    with pytest.raises(ValueError, match="PPE_LIMIT_QUEUED: 'many'"):
        Limits.from_environment()


def test_a_worker_that_keeps_dying_is_given_up(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    submit = jobs.pool.submit

    def submit_and_kill(task: Task) -> Future:
        future = submit(task)
        wait_until(future.running)
        jobs.pool.kill(future)
        return future

    monkeypatch.setattr(jobs.pool, "submit", submit_and_kill)
    jobs.submit([SMALL])
    jobs.wait([SMALL])
    assert jobs.status(SMALL) is Status.FAILED
    assert "its worker died" in jobs.failure(SMALL)
    monkeypatch.undo()
    jobs.submit([SMALL])
    jobs.wait([SMALL])
    assert jobs.status(SMALL) is Status.DONE


def test_a_dying_worker_takes_only_its_own_job_with_it(jobs: Jobs, fingerprint) -> None:
    victim, other = (RunConfig.from_flat({"horizon": 40, "samples": 1000, "seed": seed}) for seed in (1, 2))
    jobs.submit([victim, other])
    wait_until(lambda: jobs.store.files.level_count(victim.id) >= 2)
    attempts = jobs._live[other.id].attempts
    job = jobs._live[victim.id]
    jobs.pool.kill(job.future)
    wait_until(lambda: job.attempts == 2)
    assert jobs._live[other.id].attempts == attempts == 1
    jobs.wait([victim, other])
    assert fingerprint(jobs.store.record(victim)) == fingerprint(run(victim))
    assert jobs.status(other) is Status.DONE


def test_what_a_dead_server_left_is_adopted(jobs: Jobs, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.store.index.claim([SMALL], visitor="someone")
    by_command_line = SMALL.replace(seed=77)
    jobs.store.index.claim([by_command_line], visitor=None)
    monkeypatch.setattr("ppe_core.experiments.index.SILENT_SECONDS", 0)  # as if it had long been silent
    new = Jobs(Store(jobs.store.home), pool)
    assert new.status(SMALL) is Status.STOPPED
    new.adopt()
    monkeypatch.undo()
    new.wait([SMALL])
    assert new.status(SMALL) is Status.DONE
    assert new.status(by_command_line) is not Status.DONE


def test_any_executor_will_do(tmp_path: Path, fingerprint) -> None:
    jobs = Jobs(Store(tmp_path), ExecutorPool(ThreadPoolExecutor(1), 1))
    jobs.submit([SMALL])
    jobs.wait([SMALL])
    assert fingerprint(jobs.store.record(SMALL)) == fingerprint(run(SMALL))
    jobs.close()


def test_a_pool_that_is_closed_ends_its_jobs_and_starts_no_others(tmp_path: Path) -> None:
    pool = EmbeddedPool(1)
    jobs = Jobs(Store(tmp_path), pool)
    jobs.submit([LONG, LONG.replace(seed=1)])
    wait_until(lambda: jobs.store.files.level_count(LONG.id) >= 1)
    pool.close()
    jobs.wait([LONG, LONG.replace(seed=1)])
    assert jobs.status(LONG) is Status.FAILED
    assert "could not be started: the workers were shut down" in jobs.failure(LONG)


def test_a_failing_run_says_why(jobs: Jobs) -> None:
    (jobs.store.home / "runs").write_text("not a folder")
    jobs.submit([SMALL])
    jobs.wait([SMALL])
    assert jobs.status(SMALL) is Status.FAILED
    assert "cannot be written" in jobs.failure(SMALL)
