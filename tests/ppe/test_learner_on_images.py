"""PPE on the visual gridworld, from pixels; the full-size figures are in benchmarks/README.md."""

import json

import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.records import RunRecord
from ppe_core.experiments.run import run


def record(**settings) -> RunRecord:
    return run(RunConfig.from_flat({"env": "grid", "horizon": 4, "samples": 1000} | settings))


def stable(result: RunRecord) -> str:
    summary = result.summary()
    del summary["seconds"]
    return json.dumps(summary)


@pytest.fixture(scope="module")
def recovered() -> RunRecord:
    return record(seed=1)


def test_the_gridworld_is_recovered_from_pixels(recovered: RunRecord) -> None:
    assert recovered.errors == (0, 0) and recovered.exact_recovery
    assert [len(level.found.states) for level in recovered.levels] == [4, 13, 28, 44]
    assert recovered.value == pytest.approx(recovered.optimal_value)
    assert recovered.levels[-1].truth.decoding_accuracy > 0.99
    assert not any(level.leak_suspected for level in recovered.levels)


def test_folds_in_threads_give_the_same_record_again(recovered: RunRecord) -> None:
    assert stable(record(seed=1)) == stable(recovered)


def test_a_resumed_run_ends_with_the_same_record(recovered: RunRecord) -> None:
    config = RunConfig.from_flat({"env": "grid", "horizon": 4, "samples": 1000, "seed": 1})
    assert stable(run(config, done=recovered.levels[:3])) == stable(recovered)


def test_the_papers_way_misses_merges_and_stops_at_the_limit() -> None:
    """Missed merges compound until there are too many paths; the run says so and keeps what it has."""
    result = record(horizon=3, samples=400, gap="paper", recipe="paper", sampling="iid", max_paths=100)
    assert result.errors[1] > 0 and len(result.levels) == 2
    assert "time step 3 would have 125 paths, more than max_paths = 100" in result.stopped
    assert len(result.plan) == 3
