"""Runs as jobs in other processes, watched through the store.

A run never computes in the process that shows it. Workers come from loky: the standard library's
spawn pool, created inside a Streamlit script, would run app.py again in every worker.
"""

import traceback
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from enum import Enum
from pathlib import Path
from typing import Any

from ppe_core.config import RunConfig
from ppe_core.experiments.store import Store

WORKERS = 2
IDLE_SECONDS = 3600


class State(Enum):
    ABSENT = "absent"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Jobs:
    """Submits configs to an executor; the same config is one job however often it is submitted."""

    def __init__(self, home: Path, executor: Executor | None = None) -> None:
        self.store = Store(home)
        self._home = home
        self._executor = executor or _embedded_pool()
        self._futures: dict[str, Future] = {}

    def warm_up(self) -> None:
        """Have the workers import what a run needs before anybody waits for one."""
        for _ in range(WORKERS):
            self._executor.submit(_import_engine)

    def submit(self, config: RunConfig) -> None:
        if self.state(config) in (State.ABSENT, State.FAILED):
            self._futures[config.id] = self._submit(_work, str(self._home), config.flat())

    def _submit(self, work: Callable[..., None], *arguments: Any) -> Future:
        try:
            return self._executor.submit(work, *arguments)
        except BrokenExecutor:  # a worker died and took the pool with it
            self._executor = _embedded_pool()
            return self._executor.submit(work, *arguments)

    def state(self, config: RunConfig) -> State:
        future = self._futures.get(config.id)
        if future and not future.done():
            return State.RUNNING
        if self.store.is_finished(config.id):
            return State.DONE
        return State.FAILED if future or self.store.failure(config.id) else State.ABSENT

    def failure(self, config: RunConfig) -> str:
        """Why a failed job failed."""
        future = self._futures.get(config.id)
        error = future.exception() if future else None
        return self.store.failure(config.id) or str(error or "the worker stopped")


def _work(home: str, flat: dict) -> None:
    """A job, in the worker: finished levels of an earlier attempt are kept."""
    from ppe_core.experiments.events import Event, LevelDone
    from ppe_core.experiments.run import run

    config, store = RunConfig.from_flat(flat), Store(Path(home))

    def on_event(event: Event) -> None:
        if isinstance(event, LevelDone):
            store.write_level(config, event.record)

    try:
        store.write_record(run(config, on_event, done=store.levels(config.id)))
    except Exception:
        store.write_failure(config.id, traceback.format_exc(limit=-3))
        raise


def _import_engine() -> None:
    import ppe_core.experiments.run  # noqa: F401


def _embedded_pool() -> Executor:
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(max_workers=WORKERS, timeout=IDLE_SECONDS)
