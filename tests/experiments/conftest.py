"""What the tests of the run engine share."""

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.records import RunRecord
from ppe_core.experiments.store import Store
from ppe_core.experiments.workers import EmbeddedPool, Pool


@pytest.fixture(scope="session")
def fingerprint() -> Callable[[RunRecord], str]:
    """Everything in a record but its times, down to the last bit."""

    def text(record: RunRecord) -> str:
        summary = record.summary()
        del summary["seconds"]
        arrays = []
        for level in record.levels:
            for part in (level.found, level.truth):
                values = {f.name: getattr(part, f.name) for f in dataclasses.fields(part) if f.name != "seconds"}
                arrays += [_bytes(value) for _, value in sorted(values.items())]
        return json.dumps(summary) + "".join(arrays)

    return text


def _bytes(value: object) -> str:
    if isinstance(value, dict):
        return "".join(_bytes(value[name]) for name in sorted(value))
    return np.atleast_1d(np.asarray(value)).tobytes().hex()


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Two real worker processes."""
    workers = EmbeddedPool(2)
    yield workers
    workers.close()


@pytest.fixture
def jobs(tmp_path: Path, pool: Pool) -> Jobs:
    return Jobs(Store(tmp_path), pool)
