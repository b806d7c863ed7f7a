"""Runs as jobs: queued, run in other processes, watched through the store.

A run never computes in the process that shows it. The same config is one job however often and by
however many processes it is submitted; a job whose worker dies resumes at its first unfinished
level; one that is cancelled keeps what it has finished.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from time import monotonic
from typing import NamedTuple

from ppe_core.config import RunConfig
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.estimate import REMEMBERED, Estimates
from ppe_core.experiments.fair_queue import FairQueue
from ppe_core.experiments.index import UNDER_WAY, Status, StoreError
from ppe_core.experiments.limits import Limits
from ppe_core.experiments.store import Store, Upkeep
from ppe_core.experiments.work import Outcome, Task, took_too_long, unwritable
from ppe_core.experiments.workers import Pool, WorkerDied, default_pool

ATTEMPTS = 5  # after so many dead workers a job is given up
POLITE_SECONDS = 0.5  # that a worker has to stop by itself
BEAT_SECONDS = 1.0
TICK_SECONDS = 0.1


@dataclass
class _Job:
    config: RunConfig
    visitor: str | None
    seconds: float  # it may take
    attempts: int = 0
    future: Future | None = None
    started: float = 0.0
    cancelled: float | None = None  # when
    is_too_long: bool = False


class Progress(NamedTuple):
    """Where a job stands that is under way."""

    status: Status
    position: int  # in the queue; 0: it is running
    levels: int  # finished
    seconds_left: float  # estimated


class Jobs:
    def __init__(
        self, store: Store, pool: Pool | None = None, limits: Limits | None = None, upkeep: Upkeep | None = None
    ) -> None:
        self.store = store
        self.pool = pool or default_pool()
        self.limits = limits or Limits()
        self._upkeep = upkeep or Upkeep()
        self._changed = threading.Condition(threading.RLock())
        self._live: dict[str, _Job] = {}
        self._queue = FairQueue()
        self._unwritten: dict[str, str] = {}  # what became of jobs whose end the store could not take in
        self._keeper: threading.Thread | None = None
        self._finished: SimpleQueue[tuple[_Job, Future]] = SimpleQueue()
        rows = store.index.rows("status = ?", Status.DONE, limit=REMEMBERED)
        earlier = [(config, row.seconds) for row in rows if (config := _readable(row.config)) and row.seconds]
        self._estimates = Estimates(earlier)

    def adopt(self) -> None:
        """Go on with what visitors started and a server that is gone left unfinished."""
        for row in self.store.index.abandoned():
            config = _readable(row.config)
            if row.visitor and config and config.id == row.id:
                self._enqueue([config], row.visitor)

    def submit(self, configs: Sequence[RunConfig], visitor: str | None = None) -> None:
        """Queue what is neither done nor under way. What a visitor may ask for is limited."""
        with self._changed:
            status = self.statuses(configs)
            new = [c for c in dict.fromkeys(configs) if status.get(c.id) not in (*UNDER_WAY, Status.DONE)]
            if visitor is not None and new:
                self.limits.check_queue(sum(job.visitor == visitor for job in self._live.values()), len(new))
                for config in new:
                    self.limits.check(config, self.estimate(config))
            self._enqueue(new, visitor)

    def cancel(self, configs: Iterable[RunConfig]) -> None:
        """Stop jobs; what they finished stays."""
        with self._changed:
            waiting = set(self._queue)
            for config in configs:
                job = self._live.get(config.id)
                if job is None:
                    if self.status(config) in UNDER_WAY:  # another process runs it
                        self.store.files.ask_to_stop(config.id)
                elif config.id in waiting:
                    self._queue.remove(config.id)
                    self._end(job, Outcome(Status.STOPPED))
                elif job.cancelled is None:
                    job.cancelled = monotonic()
                    self.store.files.ask_to_stop(config.id)

    def status(self, config: RunConfig) -> Status | None:
        """Where a run stands; None: it was never started."""
        return self.statuses([config]).get(config.id)

    def statuses(self, configs: Iterable[RunConfig]) -> dict[str, Status]:
        """Where runs stand, by id; one that was never started is left out."""
        ids = [config.id for config in configs]
        with self._changed:
            found = self.store.index.statuses(ids)
            for run_id in ids:
                if job := self._live.get(run_id):
                    found[run_id] = Status.RUNNING if job.future else Status.QUEUED
                elif run_id in self._unwritten:
                    found[run_id] = Status.FAILED
        return found

    def progress(self, config: RunConfig) -> Progress:
        with self._changed:
            levels = self.store.files.level_count(config.id)
            left = self.estimate(config) * (1 - levels / config.horizon)
            order = list(self._queue)
            if config.id not in order:
                return Progress(Status.RUNNING, 0, levels, left)
            ahead = order[: order.index(config.id)]
            before_it = self.estimate_all([self._live[run_id].config for run_id in ahead])
            return Progress(Status.QUEUED, len(ahead) + 1, levels, left + before_it)

    def failure(self, config: RunConfig) -> str:
        """Why a failed job failed."""
        row = self.store.index.row(config.id)
        return self._unwritten.get(config.id) or (row.message if row else None) or "no reason was given"

    def estimate(self, config: RunConfig) -> float:
        """Seconds that a run will take."""
        return self._estimates.seconds(config)

    def estimate_all(self, configs: Iterable[RunConfig]) -> float:
        """Seconds that runs will take together, shared out among the workers."""
        return sum(map(self.estimate, configs)) / self.pool.width()

    def wait(self, configs: Sequence[RunConfig], on_change: Callable[[int], None] | None = None) -> None:
        """Until none of them is under way; `on_change` hears how many still are."""
        pending = list(configs)
        while pending:
            with self._changed:
                status = self.statuses(pending)
                pending = [config for config in pending if status.get(config.id) in UNDER_WAY]
                if on_change:
                    on_change(len(pending))
                if pending:
                    self._changed.wait(timeout=BEAT_SECONDS)

    def close(self) -> None:
        """Stop everything and end the workers."""
        with self._changed:
            jobs = list(self._live.values())
            self.cancel([job.config for job in jobs])
        self.wait([job.config for job in jobs])
        self.pool.close()

    def _enqueue(self, configs: Sequence[RunConfig], visitor: str | None) -> None:
        with self._changed:
            for config in self.store.index.claim(configs, visitor):
                self._unwritten.pop(config.id, None)
                seconds = self.limits.seconds if visitor else float("inf")
                self._live[config.id] = _Job(config, visitor, seconds)
                self._queue.push(visitor, config.id)
            self._start_waiting()
            if self._live and self._keeper is None:
                self._keeper = threading.Thread(target=self._keep, daemon=True)
                self._keeper.start()

    def _start_waiting(self) -> None:
        while self._queue and sum(job.future is not None for job in self._live.values()) < self.pool.width():
            job = self._live[self._queue.pop()]
            try:
                self.store.files.begin(job.config)
            except OSError as error:
                self._end(job, unwritable(self.store.home, error))
                continue
            with suppress(StoreError):
                self.store.index.set_running(job.config.id)
            self._hand_out(job)

    def _hand_out(self, job: _Job) -> None:
        try:
            future = self.pool.submit(Task(str(self.store.home), job.config.flat(), job.seconds))
        except Exception as error:  # a pool that was closed, a cluster that is gone: each fails in its own way
            self._end(job, Outcome(Status.FAILED, f"it could not be started: {error}"))
            return
        job.started, job.attempts, job.future = monotonic(), job.attempts + 1, future
        future.add_done_callback(lambda done: self._finished.put((job, done)))  # a thread of the pool's: do no more

    def _take_back(self, job: _Job, future: Future) -> None:
        with self._changed:
            outcome = self._outcome(job, future)
            job.future = None
            if outcome is None:
                self._queue.push_back(job.visitor, job.config.id)
            else:
                self._end(job, outcome)
            self._start_waiting()

    def _outcome(self, job: _Job, future: Future) -> Outcome | None:
        """What became of a job; None: its worker died, and it goes on with another."""
        try:
            return future.result()
        except (WorkerDied, CancelledError):
            if job.cancelled:
                return Outcome(Status.STOPPED)
            if job.is_too_long:
                return Outcome(Status.FAILED, took_too_long(job.seconds))
            if job.attempts < ATTEMPTS:
                return None
            return Outcome(Status.FAILED, f"its worker died {ATTEMPTS} times, perhaps for want of memory")
        except Unusable as error:
            return Outcome(Status.FAILED, str(error))
        except Exception as error:
            return Outcome(Status.FAILED, f"{type(error).__name__}: {error}")

    def _end(self, job: _Job, outcome: Outcome) -> None:
        """Note how a job ended; it ends even where that cannot be noted (a full disk)."""
        config = job.config
        try:
            if outcome.summary:
                self.store.index.set_done(config, outcome.summary, outcome.bytes)
                self._estimates.add(config, outcome.summary["seconds"]["total"])
            else:
                size = self.store.files.size(config.id)
                self.store.index.set_unfinished(config.id, outcome.status, outcome.message, size)
        except StoreError as error:
            self._unwritten[config.id] = outcome.message or str(error)
        del self._live[config.id]
        self._changed.notify_all()

    def _keep(self) -> None:
        """While jobs are under way: take finished ones in, start others, end those that do not stop, show we live."""
        last_beat = 0.0
        while True:
            with suppress(Empty):
                self._take_back(*self._finished.get(timeout=TICK_SECONDS))
            with self._changed:
                if not self._live:
                    self._keeper = None
                    break
                self.pool.check()
                for job in list(self._live.values()):
                    self._kill_if_due(job, monotonic())
            if monotonic() - last_beat > BEAT_SECONDS:
                with suppress(StoreError):
                    self.store.index.beat()
                last_beat = monotonic()
        with suppress(StoreError):
            self.store.prune(self._upkeep)

    def _kill_if_due(self, job: _Job, now: float) -> None:
        if job.future is None:
            return
        job.is_too_long = now - job.started > job.seconds + POLITE_SECONDS
        if job.is_too_long or (job.cancelled and now - job.cancelled > POLITE_SECONDS):
            self.pool.kill(job.future)


def _readable(flat: dict) -> RunConfig | None:
    """The config of an earlier run, unless another version of the program wrote it."""
    try:
        return RunConfig.from_flat(flat)
    except ValueError:
        return None
