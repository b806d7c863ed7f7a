"""What all tests share."""

import faulthandler

import pytest
import torch

torch.set_num_threads(1)  # tests run side by side, a core each
EXIT_SECONDS = 60


def pytest_unconfigure(config: pytest.Config) -> None:
    """A process that cannot end (a thread or a child it waits for) says where it stands and ends all the same."""
    if hasattr(config, "workerinput"):
        return  # a process of pytest-xdist, which its parent ends
    faulthandler.dump_traceback_later(EXIT_SECONDS, exit=True)
