"""Closed-loop episodes: what a learner sees, does and is counted for."""

import numpy as np
import pytest

from ppe_core.config import LockSettings
from ppe_core.envs.base import Episodes, Interaction, Latent
from ppe_core.envs.lock import CombinationLock
from ppe_core.seeding import Seeds

HORIZON = 4


@pytest.fixture
def interaction() -> Interaction:
    return Interaction(CombinationLock(LockSettings(), HORIZON, Seeds(3)), Seeds(3))


def play(episodes: Episodes, actions: np.ndarray) -> list[np.ndarray]:
    """What is seen before and after each column of actions."""
    seen = [episodes.observations]
    for column in actions.T:
        episodes.act(column)
        seen.append(episodes.observations)
    return seen


def test_good_actions_open_the_lock_and_are_counted_at_the_end(interaction: Interaction) -> None:
    lock = CombinationLock(LockSettings(), HORIZON, Seeds(3))
    episodes = interaction.begin(7)
    for step, action in enumerate(lock.good_a):
        assert episodes.step == step and not episodes.over and interaction.episodes == 0
        rewards = episodes.act(np.full(7, action))
    assert episodes.over and np.array_equal(rewards, np.ones(7))
    assert interaction.episodes == 7 and interaction.steps == 7 * HORIZON
    assert np.array_equal(interaction.returns, np.ones(7))


def test_nothing_can_be_done_after_the_end(interaction: Interaction) -> None:
    episodes = interaction.begin(2)
    play(episodes, np.zeros((2, HORIZON), int))
    with pytest.raises(ValueError, match="over after 4 actions"):
        episodes.act(np.zeros(2, int))
    assert interaction.episodes == 2


def test_the_latent_state_is_hidden(interaction: Interaction) -> None:
    episodes = interaction.begin(3)
    public = [getattr(episodes, name) for name in dir(episodes) if not name.startswith("_")]
    assert not any(isinstance(part, Latent) for part in public)
    assert episodes.observations.shape == (3, *interaction.observation_shape)


def test_looking_twice_shows_the_same(interaction: Interaction) -> None:
    episodes = interaction.begin(5)
    before = episodes.observations
    assert episodes.observations is before
    episodes.act(np.zeros(5, int))
    assert not np.array_equal(episodes.observations, before)


def test_same_seed_same_episodes() -> None:
    lock = CombinationLock(LockSettings(eta=0.3), HORIZON, Seeds(0))
    actions = np.random.default_rng(0).integers(10, size=(20, HORIZON))
    first, again, other = (play(Interaction(lock, Seeds(seed)).begin(20), actions) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(first, again))
    assert not np.array_equal(first[0], other[0])


def test_closed_loop_episodes_do_not_disturb_paths(interaction: Interaction) -> None:
    paths = np.zeros((6, 2), int)
    undisturbed, _ = Interaction(CombinationLock(LockSettings(), HORIZON, Seeds(3)), Seeds(3)).follow(paths)
    play(interaction.begin(6), np.zeros((6, HORIZON), int))
    observations, _ = interaction.follow(paths)
    assert np.array_equal(observations, undisturbed)
