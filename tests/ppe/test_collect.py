import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.base import Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.ppe.collect import Dataset, collect
from ppe_core.ppe.paths import empty_cover, extend
from ppe_core.seeding import Seeds


def gather(samples: int, sampling: str) -> Dataset:
    interaction = Interaction(make_environment(RunConfig()), Seeds(0))
    return collect(interaction, extend(empty_cover(), 10), samples, sampling, np.random.default_rng(0))


def test_balanced_sampling_gives_every_path_the_same_share() -> None:
    data = gather(57, "balanced")
    assert np.bincount(data.labels).tolist() == [5] * 10
    assert len(data.observations) == len(data.rewards) == 50


def test_independent_sampling_draws_paths_uniformly() -> None:
    data = gather(20_000, "iid")
    assert len(data.labels) == 20_000
    assert np.bincount(data.labels) / 20_000 == pytest.approx([0.1] * 10, abs=0.01)
