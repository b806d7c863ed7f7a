"""Episodes that a learner watches at several time steps."""

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.base import Interaction
from ppe_core.envs.lock import hadamard_transform
from ppe_core.envs.registry import make_environment
from ppe_core.seeding import Seeds

SETTINGS = {"horizon": 4, "exo_dim": 7, "noise": 0.0}


def interaction(**settings) -> Interaction:
    config = RunConfig.from_flat(SETTINGS | settings)
    return Interaction(make_environment(config), Seeds(config.seed))


def bits(observations: np.ndarray) -> np.ndarray:
    """The exogenous bits behind observations of the noiseless lock: the Hadamard matrix is its own inverse."""
    codes = hadamard_transform(observations.T.copy()) / observations.shape[1]
    return codes[8:15].T.round()


def test_all_time_steps_see_one_exogenous_process() -> None:
    paths = np.zeros((5000, 4), np.int64)
    first, second, last = (bits(seen) for seen in interaction().watch(paths, (0, 1, 4))[0])
    assert first.mean() == pytest.approx(0.5, abs=0.01)
    assert (first != second).mean() == pytest.approx(0.1, abs=0.01)
    assert (first != last).mean() == pytest.approx((1 - 0.8**4) / 2, abs=0.01)
    still = interaction(flip=0.0).watch(paths, range(5))[0]
    assert all(np.array_equal(bits(still[0]), bits(seen)) for seen in still)


def test_rewards_and_last_observations_are_those_of_following() -> None:
    world = make_environment(RunConfig.from_flat(SETTINGS | {"exo_dim": 0}))
    good = np.array([world.good_a, world.good_b, (world.good_a + 1) % 10])
    watching = Interaction(world, Seeds(0))
    seen, rewards = watching.watch(good, (4,))
    assert rewards.sum(1).tolist() == [1.0, 0.1, 0.0] and rewards[:, :-1].sum() == 0
    assert np.array_equal(seen[0], Interaction(world, Seeds(0)).follow(good)[0])
    assert watching.episodes == 3 and watching.steps == 12


def test_the_same_seed_sees_the_same() -> None:
    paths = np.zeros((50, 3), np.int64)
    one, other, third = (interaction(seed=seed, noise=0.1).watch(paths, range(4))[0] for seed in (0, 0, 1))
    assert one.shape == (4, 50, 16)
    assert np.array_equal(one, other) and not np.array_equal(one, third)
