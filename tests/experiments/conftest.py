"""What the tests of the run engine share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ppe_core.experiments.jobs import Jobs
from ppe_core.experiments.store import Store
from ppe_core.experiments.workers import EmbeddedPool, Pool


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Two real worker processes."""
    workers = EmbeddedPool(2)
    yield workers
    workers.close()


@pytest.fixture
def jobs(tmp_path: Path, pool: Pool) -> Jobs:
    return Jobs(Store(tmp_path), pool)
