"""Collect a dataset of observations, each labelled with the path behind it (algorithm 5, line 3)."""

from typing import NamedTuple

import numpy as np

from ppe_core.envs.base import Array, Interaction


class Dataset(NamedTuple):
    observations: Array  # [n, ...]
    labels: Array  # [n], index of the path in Υ
    rewards: Array  # [n], of the path's last action


def collect(interaction: Interaction, paths: Array, samples: int, sampling: str, rng: np.random.Generator) -> Dataset:
    """N episodes: evenly many a path (rounded down), or a path drawn uniformly for each."""
    if sampling == "balanced":
        labels = np.repeat(np.arange(len(paths)), samples // len(paths))
    else:
        labels = rng.integers(len(paths), size=samples)
    observations, rewards = interaction.follow(paths[labels])
    return Dataset(observations, labels, rewards)
