"""What all tests share."""

import dataclasses
import faulthandler
import json
from collections.abc import Callable

import numpy as np
import pytest
import torch

from ppe_core.experiments.records import RunRecord

torch.set_num_threads(1)  # tests run side by side, a core each
EXIT_SECONDS = 60


def pytest_unconfigure(config: pytest.Config) -> None:
    """A process that cannot end (a thread or a child it waits for) says where it stands and ends all the same."""
    if hasattr(config, "workerinput"):
        return  # a process of pytest-xdist, which its parent ends
    faulthandler.dump_traceback_later(EXIT_SECONDS, exit=True)


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
