from dataclasses import replace

import numpy as np
import pytest
import torch

from ppe_core.baselines.bisim import Bisim, Model, bisimulation_loss, collect
from ppe_core.baselines.learned import Learned, Progress
from ppe_core.config import BisimSettings, LockSettings
from ppe_core.envs.base import Interaction
from ppe_core.envs.lock import TYPE_A, CombinationLock
from ppe_core.seeding import Seeds


def lock(seed: int, reward_a_step: float) -> CombinationLock:
    """A lock of two steps that pays for every good action in type a, and for nothing else."""
    environment = CombinationLock(LockSettings(), 2, Seeds(seed))
    rewards = np.zeros_like(environment.endogenous.rewards)
    rewards[range(2), TYPE_A, environment.good_a] = reward_a_step
    environment.endogenous = replace(environment.endogenous, rewards=rewards)
    return environment


def learn(environment: CombinationLock, episodes: int, seed: int = 0, **settings) -> Learned:
    learner = Bisim(BisimSettings(**settings), episodes, Seeds(seed))
    return learner.learn(Interaction(environment, Seeds(seed)), lambda progress: None)


@pytest.mark.parametrize("seed", [0, 4])
def test_a_short_lock_with_a_dense_reward_is_solved(seed: int) -> None:
    environment = lock(seed, 0.5)
    learned = learn(environment, 12_000, seed)
    fresh = Interaction(environment, Seeds(1_000_000))
    episodes = fresh.begin(500)
    while not episodes.over:
        episodes.act(learned.act(episodes.step, episodes.observations))
    assert fresh.returns.mean() >= 0.95
    assert learned.numbers["latent_distance"] > 0.25


def test_without_reward_the_representation_collapses() -> None:
    collapsed = learn(lock(0, 0.0), 4000)
    assert collapsed.numbers["latent_distance"] < 0.15
    assert state_distance(collapsed) < 0.3
    free = learn(lock(0, 0.0), 4000, bisimulation=0)
    assert free.numbers["latent_distance"] > 0.5
    assert state_distance(free) > 1.0


def state_distance(learned: Learned) -> float:
    """How far apart the three types' mean latents are after one action."""
    environment, rng = lock(0, 0.0), np.random.default_rng(0)
    model = Model(*environment.observation_shape, environment.num_actions, torch.Generator())
    model.load_state_dict({name: torch.from_numpy(weights) for name, weights in learned.weights.items()})
    seen = (torch.from_numpy(environment.observe_states(np.full(300, kind), 1, rng)) for kind in range(3))
    with torch.no_grad():
        return float(torch.pdist(torch.stack([model.encoder(observations).mean(0) for observations in seen])).mean())


def test_same_seed_same_policy() -> None:
    first, again, other = (learn(lock(0, 0.5), 300, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(first.weights[name], again.weights[name]) for name in first.weights)
    assert first.numbers == again.numbers != other.numbers


def test_torchs_own_generator_is_left_alone() -> None:
    before = torch.get_rng_state()
    learn(lock(0, 0.5), 100)
    assert torch.equal(torch.get_rng_state(), before)


def test_whoever_listens_can_stop_it() -> None:
    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        assert progress.loss is not None
        raise Stop

    interaction = Interaction(lock(0, 0.5), Seeds(0))
    with pytest.raises(Stop):
        Bisim(BisimSettings(), 10**9, Seeds(0)).learn(interaction, stop)
    assert interaction.episodes == 32


def test_returns_are_discounted() -> None:
    environment, generator = lock(0, 0.5), torch.Generator().manual_seed(0)
    model = Model(*environment.observation_shape, environment.num_actions, generator)
    batch = collect(Interaction(environment, Seeds(0)), 400, model, 0.9, generator)
    assert torch.equal(batch.returns[1], batch.rewards[1]) and batch.rewards[1].max() == 0.5
    assert torch.allclose(batch.returns[0], batch.rewards[0] + 0.9 * batch.rewards[1])


def test_the_bisimulation_loss_is_zero_exactly_for_a_bisimulation_metric() -> None:
    """Two steps, two episodes: the last latents differ by their rewards, the first by 0.9 of W2."""
    rewards = torch.tensor([[0.0, 0.0], [0.0, 1.0]])
    means = torch.tensor([[[0.0, 0.0], [3.0, 0.0]], [[7.0, 7.0], [0.0, 0.0]]])
    deviations = torch.tensor([[[1.0, 1.0], [1.0, 5.0]], [[1.0, 1.0], [2.0, 2.0]]])
    latents = torch.tensor([[[0.0, 0.0], [0.0, 4.5]], [[0.0, 0.0], [1.0, 0.0]]])
    assert float(bisimulation_loss(latents, rewards, means, deviations, 0.9)) == pytest.approx(0, abs=1e-6)
    assert float(bisimulation_loss(2 * latents, rewards, means, deviations, 0.9)) > 0.1
