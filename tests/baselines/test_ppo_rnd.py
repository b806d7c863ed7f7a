import numpy as np
import pytest
import torch

from ppe_core.baselines.learned import Progress
from ppe_core.baselines.ppo_rnd import Distillation, PPOWithRND
from ppe_core.config import LockSettings, RNDSettings
from ppe_core.envs.base import Interaction
from ppe_core.envs.lock import TYPE_A, TYPE_C, CombinationLock
from ppe_core.seeding import Seeds


def lock(horizon: int, seed: int) -> CombinationLock:
    return CombinationLock(LockSettings(), horizon, Seeds(seed))


def observations(environment: CombinationLock, state: int, rng: np.random.Generator) -> torch.Tensor:
    return torch.from_numpy(environment.observe_states(np.full(256, state), 3, rng))


def test_the_bonus_falls_on_what_was_seen_often() -> None:
    environment, rng = lock(5, 0), np.random.default_rng(0)
    (entries,) = environment.observation_shape
    bonus = Distillation(entries, RNDSettings(), torch.Generator().manual_seed(0))
    at_first = bonus(observations(environment, TYPE_C, rng)).mean()
    for _ in range(100):
        often = bonus(observations(environment, TYPE_C, rng)).mean()
    never = bonus(observations(environment, TYPE_A, rng)).mean()
    assert often < 0.25 * at_first and never > 2 * often


def test_the_bonus_is_the_raw_error_times_its_weight() -> None:
    seen = torch.randn(64, 16, generator=torch.Generator().manual_seed(1))
    small, large = (
        Distillation(16, RNDSettings(bonus=weight), torch.Generator().manual_seed(2))(seen) for weight in (1, 500)
    )
    assert torch.allclose(large, 500 * small) and (small > 0).all()


@pytest.mark.parametrize("seed", range(2))
def test_curiosity_opens_a_lock_that_chance_does_not(seed: int) -> None:
    """At three steps one episode in a thousand pays; the policy finds and keeps the right actions."""
    environment = lock(3, seed)
    interaction = Interaction(environment, Seeds(seed))
    heard: list[Progress] = []
    learned = PPOWithRND(RNDSettings(), 20_000, Seeds(seed)).learn(interaction, heard.append)
    assert np.mean([progress.mean_return for progress in heard[-5:]]) > 0.95
    assert 0 < learned.numbers["prediction_error"] < 0.01


def test_same_seed_same_policy() -> None:
    first, again = (
        PPOWithRND(RNDSettings(), 1000, Seeds(4)).learn(Interaction(lock(3, 4), Seeds(4)), lambda progress: None)
        for _ in range(2)
    )
    assert np.array_equal(first.weights["net"], again.weights["net"]) and first.numbers == again.numbers
