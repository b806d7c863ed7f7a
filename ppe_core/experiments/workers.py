"""Where jobs run: worker processes of our own, or any executor, such as a Dask cluster's.

Our own workers are plain processes that take jobs through a pipe and answer through another. A pool
of the standard library would run app.py again in every worker when it is made inside a Streamlit
script, and a loky pool makes this process wait for running jobs when it ends, and breaks as a whole
when one worker dies. Here a worker that dies takes its own job alone, killing one is a way to stop
it, and a parent that ends, however it ends, closes the pipes, at which the workers end too.
"""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.work import Outcome, Task, work

MOST_WORKERS = 256
CONNECT_SECONDS = 10
ASK_SECONDS = 2.0
ROOT = Path(__file__).parents[2]


class WorkerDied(Exception):
    """The process that ran a job is gone."""


class ClusterError(Unusable):
    """There is no cluster where one should be."""


class Pool(Protocol):
    def width(self) -> int:
        """How many jobs it can run at once."""

    def submit(self, task: Task) -> "Future[Outcome]": ...

    def kill(self, future: Future) -> None:
        """End the process that runs a job, where that can be done."""

    def check(self) -> None:
        """Fail the jobs of which nothing will be heard again."""

    def close(self) -> None: ...


def default_pool() -> Pool:
    """The cluster that PPE_CLUSTER names, or workers of our own, PPE_WORKERS or one a core."""
    address = os.environ.get("PPE_CLUSTER")
    return ClusterPool(address) if address else EmbeddedPool(default_workers())


def default_workers() -> int:
    text = os.environ.get("PPE_WORKERS")
    return worker_count("PPE_WORKERS", text) if text else min(os.cpu_count() or 1, 8)


def worker_count(name: str, text: str) -> int:
    """What a person wrote as a number of workers."""
    if not text.isdigit() or not 1 <= int(text) <= MOST_WORKERS:
        raise ValueError(f"{name}: {text!r} is not a whole number in the allowed range 1 to {MOST_WORKERS}")
    return int(text)


class EmbeddedPool:
    """A fixed number of worker processes; one that dies is replaced."""

    def __init__(self, count: int) -> None:
        self._queue: SimpleQueue[_Order | None] = SimpleQueue()
        self._is_closed = False
        self._workers = [_Worker(self._queue) for _ in range(count)]
        for worker in self._workers:
            worker.start()

    def width(self) -> int:
        return len(self._workers)

    def submit(self, task: Task) -> "Future[Outcome]":
        if self._is_closed:
            raise RuntimeError("the workers were shut down")
        future: Future[Outcome] = Future()
        self._queue.put(_Order(future, task))
        return future

    def kill(self, future: Future) -> None:
        if not future.cancel():  # it has begun
            for worker in self._workers:
                worker.kill_if_at(future)

    def check(self) -> None:
        pass  # whoever looks after a process hears of its end

    def close(self) -> None:
        self._is_closed = True
        for worker in self._workers:
            worker.end()
        for _ in self._workers:
            self._queue.put(None)
        for worker in self._workers:
            worker.join()

    @property
    def pids(self) -> list[int]:
        return [worker.process.pid for worker in self._workers]


class _Order(NamedTuple):
    future: "Future[Outcome]"
    task: Task


class _Worker(threading.Thread):
    """Looks after one worker process: hands it a job, waits for the answer, replaces it when it died."""

    def __init__(self, queue: "SimpleQueue[_Order | None]") -> None:
        super().__init__(daemon=True)
        self._queue = queue
        self._lock = threading.Lock()
        self._at: Future | None = None
        self._is_ended = False
        self.process = _start_process()

    def run(self) -> None:
        self._wait_until_ready()
        while order := self._queue.get():
            if order.future.set_running_or_notify_cancel():
                self._serve(order)
        self._reap()

    def kill_if_at(self, future: Future) -> None:
        with self._lock:
            if self._at is future:
                self.process.kill()

    def end(self) -> None:
        with self._lock:
            self._is_ended = True
            self.process.kill()

    def _serve(self, order: _Order) -> None:
        with self._lock:
            self._at = order.future
        answer = self._ask(order.task)
        with self._lock:
            self._at = None
            if not answer and not self._is_ended:
                self._replace()
        if answer:
            order.future.set_result(Outcome.from_json(answer))
        else:
            order.future.set_exception(WorkerDied())
            self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        """Let the others take the jobs while this process still imports what a run needs."""
        self._read()

    def _ask(self, task: Task) -> str:
        """The answer; empty when the process died."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            self.process.stdin.flush()
        except OSError:
            return ""
        return self._read()

    def _read(self) -> str:
        assert self.process.stdout
        answer = self.process.stdout.readline()
        return answer if answer.endswith("\n") else ""  # a process that dies may leave half an answer

    def _replace(self) -> None:
        self._reap()
        self.process = _start_process()

    def _reap(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):  # what was still to be written has no reader
                pipe.close()  # type: ignore[union-attr]


def _start_process() -> "subprocess.Popen[str]":
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", "ppe_core.experiments.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip


class ExecutorPool:
    """Any executor of the standard library's kind; its jobs stop when they are asked to, and cannot be killed."""

    def __init__(self, executor: Executor, width: int) -> None:
        self._executor = executor
        self._width = width

    def width(self) -> int:
        return self._width

    def submit(self, task: Task) -> "Future[Outcome]":
        return self._executor.submit(work, *task)

    def kill(self, future: Future) -> None:
        pass

    def check(self) -> None:
        pass

    def close(self) -> None:
        self._executor.shutdown()


class ClusterPool:
    """The workers of a Dask scheduler, which need this project, its packages and the folder PPE_HOME.

    Workers come and go, so the scheduler is asked for them now and then. When it is gone itself, its
    jobs fail, and the next one looks for it again.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._client = _connect(address)
        self._width, self._asked = 1, 0.0
        self._futures: set[Future] = set()

    def width(self) -> int:
        if time.monotonic() - self._asked > ASK_SECONDS:
            with suppress(Exception):  # a scheduler that is gone shows when a job is submitted
                self._width = max(1, sum(self._client.ncores().values()))
            self._asked = time.monotonic()
        return self._width

    def submit(self, task: Task) -> "Future[Outcome]":
        if self._is_lost():
            self._client = _connect(self._address)
        future = self._client.get_executor(pure=False).submit(work, *task)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    def kill(self, future: Future) -> None:
        pass

    def check(self) -> None:
        if self._is_lost():
            for future in list(self._futures):
                with suppress(InvalidStateError):
                    future.set_exception(ClusterError(f"the Dask scheduler at {self._address} is gone"))

    def close(self) -> None:
        self._client.close()

    def _is_lost(self) -> bool:
        return self._client.status == "closed"


def _connect(address: str) -> Any:
    """A client. Dask's own is slow to give up on an address where nobody answers, and noisy."""
    from distributed import Client

    try:
        parts = urlsplit(address)
        socket.create_connection((parts.hostname or "", parts.port or 0), CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"PPE_CLUSTER: no Dask scheduler answers at {address!r} ({error}); an address is like tcp://127.0.0.1:8786"
        ) from error
    return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
