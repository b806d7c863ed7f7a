"""The run engine: both cores at work, what it costs beside the bare run, how soon a run stops, the store's own time."""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.timing import Row, best_times
from ppe_core.config import RunConfig
from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.run import run
from ppe_core.experiments.store import Store
from ppe_core.experiments.study import Study
from ppe_core.experiments.workers import EmbeddedPool

STUDY = Study.make(
    RunConfig(), {"noise": [0.05, 0.1, 0.2, 0.4], "samples": [250, 500, 1000, 2000]}, list(range(5))
).configs()
LONG_RUNS = {
    "lock": RunConfig.from_flat({"horizon": 200, "samples": 5000}),
    "grid": RunConfig.from_flat({"env": "grid", "horizon": 8, "samples": 20_000}),
}
CANCEL_SECONDS = {"lock": 1.0, "grid": 3.0}
CANCELS = 5
STORED = 200


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        return [*_study(home), *(_cancel(home, name) for name in LONG_RUNS), *_store(home)]


def _study(home: Path) -> list[Row]:
    """The same study by one worker and by two, ready to work, and by this process without an engine."""
    seconds = {}
    for workers in (1, 2):
        jobs = Jobs(Store(home / f"workers-{workers}"), EmbeddedPool(workers))
        _run_all(jobs, [RunConfig.from_flat({"horizon": 2, "seed": 10**6 + i}) for i in range(4 * workers)])
        seconds[f"{workers} workers"] = _run_all(jobs, STUDY)
        jobs.close()
    start = time.perf_counter()
    for config in STUDY:
        run(config)
    bare = time.perf_counter() - start
    one, two = seconds.values()
    details = f"{one:.1f} s and {two:.1f} s for {len(STUDY)} runs"
    return [
        Row("one worker / two, a study of 80 locks", f"{one / two:.2f}× ({details})", "≥ 1.8×", one / two >= 1.8),
        Row("the same study with two workers", f"{two:.1f} s", "< 60 s", two < 60),
        Row("one worker / the bare runs", f"{one / bare:.2f}×", "≤ 1.3×", one / bare <= 1.3),
    ]


def _run_all(jobs: Jobs, configs: Sequence[RunConfig]) -> float:
    start = time.perf_counter()
    jobs.submit(configs)
    jobs.wait(configs)
    return time.perf_counter() - start


def _cancel(home: Path, name: str) -> Row:
    """From the wish to the end of the job, at moments spread over a time step."""
    jobs, longest = Jobs(Store(home / f"cancel-{name}"), EmbeddedPool(1)), 0.0
    for seed in range(CANCELS):
        config = LONG_RUNS[name].replace(seed=seed)
        jobs.submit([config])
        while not jobs.store.files.level_count(config.id):
            time.sleep(0.01)
        time.sleep(0.3 * seed)
        start = time.perf_counter()
        jobs.cancel([config])
        jobs.wait([config])
        longest = max(longest, time.perf_counter() - start)
    jobs.close()
    bar = CANCEL_SECONDS[name]
    return Row(f"longest of {CANCELS} cancels of a {name} run", f"{longest:.2f} s", f"< {bar:g} s", longest < bar)


def _store(home: Path) -> list[Row]:
    """With 200 runs in it: all rows, and one record with its arrays."""
    jobs = Jobs(Store(home / "store"), EmbeddedPool(2))
    configs = [RunConfig(seed=seed) for seed in range(STORED)]
    _run_all(jobs, configs)
    jobs.close()
    store = Store(home / "store")
    best = best_times({"list": store.index.rows, "open": lambda: store.record(configs[100])}, turns=10)
    return [
        Row(f"{name}, {STORED} runs stored", f"{1000 * seconds:.1f} ms", "< 50 ms", seconds < 0.05)
        for name, seconds in best.items()
    ]
