from collections.abc import Callable

import numpy as np
import pytest
import torch

from ppe_core.baselines.learned import Act, Learned, Progress
from ppe_core.baselines.ppo import PPO, Experience, judge, loss_derivative
from ppe_core.config import LockSettings, PPOSettings
from ppe_core.envs.base import Interaction
from ppe_core.envs.lock import CombinationLock
from ppe_core.seeding import Seeds

FRESH = 1_000_000  # a seed for episodes that no learner saw


def lock(horizon: int, seed: int, **settings) -> CombinationLock:
    return CombinationLock(LockSettings(**settings), horizon, Seeds(seed))


def learn(
    environment: CombinationLock, seed: int, episodes: int, report: Callable[[Progress], None] = lambda progress: None
) -> tuple[Learned, Interaction]:
    interaction = Interaction(environment, Seeds(seed))
    return PPO(PPOSettings(), episodes, Seeds(seed)).learn(interaction, report), interaction


def value(environment: CombinationLock, act: Act) -> float:
    """The mean return on fresh episodes."""
    interaction = Interaction(environment, Seeds(FRESH))
    episodes = interaction.begin(500)
    while not episodes.over:
        episodes.act(act(episodes.step, episodes.observations))
    return interaction.returns.mean()


@pytest.mark.parametrize("settings", [{}, {"exo_dim": 0, "noise": 0}, {"exo_dim": 0, "emission": "hadamard"}])
@pytest.mark.parametrize("seed", range(2))
def test_a_short_lock_is_solved(seed: int, settings: dict) -> None:
    environment = lock(2, seed, **settings)
    learned, interaction = learn(environment, seed, 8000)
    assert value(environment, learned.act) >= 0.95
    assert interaction.episodes == 8000 and interaction.steps == 16000


def test_a_longer_lock_gives_nothing_to_learn_from() -> None:
    environment = lock(5, 0)
    learned, _ = learn(environment, 0, 8000)
    assert value(environment, learned.act) < 0.5


def test_what_is_learned_is_the_policy_of_the_best_batch() -> None:
    """The only batch was collected by the untrained policy, so that is the best one."""
    heard: list[Progress] = []
    learned, _ = learn(lock(2, 0), 0, 3000, heard.append)
    assert learned.numbers["best_mean_return"] == max(progress.mean_return for progress in heard)
    only_one_batch, _ = learn(lock(2, 0), 0, 256)
    untrained, _ = learn(lock(2, 0), 0, 1)
    assert np.array_equal(only_one_batch.weights["net"], untrained.weights["net"])


def test_same_seed_same_policy() -> None:
    runs = [learn(lock(3, 1), seed, 1000) for seed in (1, 1, 2)]
    first, again, other = (learned.weights["net"] for learned, _ in runs)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert np.array_equal(runs[0][1].returns, runs[1][1].returns)


def test_progress_counts_episodes_and_leaves_nothing_out() -> None:
    heard: list[Progress] = []
    _, interaction = learn(lock(2, 0), 0, 600, heard.append)
    assert [progress.episodes for progress in heard] == [256, 512, 600]
    sizes = np.diff([0, *(progress.episodes for progress in heard)])
    assert np.dot(sizes, [progress.mean_return for progress in heard]) == pytest.approx(interaction.returns.sum())


def test_whoever_listens_can_stop_it() -> None:
    class Stop(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.episodes > 300:
            raise Stop

    interaction = Interaction(lock(2, 0), Seeds(0))
    with pytest.raises(Stop):
        PPO(PPOSettings(), 10**9, Seeds(0)).learn(interaction, stop)
    assert interaction.episodes == 512


def some_experience(generator: torch.Generator, rows: int = 200, actions: int = 6) -> tuple[torch.Tensor, Experience]:
    """Outputs [rows, actions + 1] and experience gathered with somewhat different ones."""
    outputs = torch.randn(rows, actions + 1, generator=generator)
    before = outputs + 0.2 * torch.randn(outputs.shape, generator=generator)
    taken = torch.randint(actions, (rows,), generator=generator)
    return outputs, judge(torch.empty(rows, 1), before, taken, torch.randn(rows, generator=generator))


def ppo_loss(outputs: torch.Tensor, experience: Experience, settings: PPOSettings) -> torch.Tensor:
    """The loss as in the PPO paper, for autograd."""
    policy = torch.distributions.Categorical(logits=outputs[:, :-1])
    ratio = (policy.log_prob(experience.actions) - experience.log_probabilities).exp()
    clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
    gain = torch.minimum(ratio * experience.advantages, clipped * experience.advantages)
    value_loss = 0.5 * (outputs[:, -1] - experience.returns).square()
    return (value_loss - gain - settings.entropy * policy.entropy()).mean()


@pytest.mark.parametrize("settings", [PPOSettings(), PPOSettings(entropy=1, clip=0.3), PPOSettings(clip=0)])
def test_the_hand_written_derivative_is_autograds(settings: PPOSettings) -> None:
    outputs, experience = some_experience(torch.Generator().manual_seed(0))
    derivative = loss_derivative(outputs, experience, settings)
    outputs.requires_grad_()
    ppo_loss(outputs, experience, settings).backward()
    assert torch.allclose(derivative, outputs.grad, atol=1e-7)
    assert (derivative != 0).any(-1).all()


def test_advantages_are_standardised_and_minibatches_keep_rows_together() -> None:
    generator = torch.Generator().manual_seed(1)
    _, experience = some_experience(generator)
    assert float(experience.advantages.mean()) == pytest.approx(0, abs=1e-6)
    assert float(experience.advantages.std(correction=0)) == pytest.approx(1, rel=1e-5)
    pieces = experience.minibatches(64, generator)
    assert [len(piece.returns) for piece in pieces] == [64, 64, 64, 8]
    shuffled = Experience(*(torch.cat(column) for column in zip(*pieces)))
    order, back = experience.returns.argsort(), shuffled.returns.argsort()
    assert not torch.equal(experience.returns, shuffled.returns)
    assert all(torch.equal(old[order], new[back]) for old, new in zip(experience, shuffled))
