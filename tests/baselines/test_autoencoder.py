"""The autoencoder keeps what varies most: the state where nothing else does, and the noise where it does."""

import numpy as np
import pytest

from ppe_core.baselines.autoencoder import Autoencoder
from ppe_core.baselines.clusters import best_centres, nearest
from ppe_core.config import AutoencoderSettings, RunConfig
from ppe_core.envs.base import Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.seeding import Seeds
from tests.baselines.abstraction_trial import Enough, Trial, same, stop_at_once

QUICK = AutoencoderSettings(epochs=1, restarts=2)


def test_states_are_decoded_where_nothing_else_varies() -> None:
    trial = Trial(Autoencoder(AutoencoderSettings(), 2000, Seeds(0)), exo_dim=0)
    assert trial.accuracy(2) > 0.95


def test_noise_is_memorised() -> None:
    trial = Trial(Autoencoder(AutoencoderSettings(), 2000, Seeds(0)), exo_dim=100)
    assert trial.accuracy(2) < 0.7


def test_the_same_seed_learns_the_same() -> None:
    runs = [Trial(Autoencoder(QUICK, 300, Seeds(seed)), samples=300, seed=seed).learned for seed in (3, 3, 4)]
    assert same(runs[0], runs[1]) and not same(runs[0], runs[2])


def test_a_listener_can_stop_it() -> None:
    interaction = Interaction(make_environment(RunConfig()), Seeds(0))
    with pytest.raises(Enough):
        Autoencoder(QUICK, 300, Seeds(0)).learn(interaction, stop_at_once)


def test_it_reads_images() -> None:
    settings = AutoencoderSettings(budget=13, epochs=2, restarts=1)
    trial = Trial(Autoencoder(settings, 200, Seeds(0)), env="grid", distractor="none", samples=200)
    assert trial.accuracy(2) > 0.95


def test_clusters_far_apart_are_found_however_small() -> None:
    rng = np.random.default_rng(0)
    true = np.repeat([0, 1, 2], [900, 20, 20])
    points = 5 * np.eye(3)[true] + rng.normal(size=(940, 3)) / 4
    found = nearest(points, best_centres(points, 3, rng))
    assert len(np.unique(true * 3 + found)) == 3


def test_fewer_different_points_than_clusters_are_fine() -> None:
    points = np.zeros((5, 2))
    assert np.array_equal(nearest(points, best_centres(points, 3, np.random.default_rng(0))), np.zeros(5))
