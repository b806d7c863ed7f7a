"""Homer solves the lock without exogenous noise and keeps the noise where there is some."""

import numpy as np
import pytest

from ppe_core.baselines.homer import Homer
from ppe_core.config import HomerSettings, RunConfig
from ppe_core.envs.base import Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import plan_value, true_states
from tests.baselines.abstraction_trial import Enough, Trial, same, stop_at_once

QUICK = HomerSettings(epochs=1, restarts=2)


@pytest.fixture(scope="module")
def noiseless() -> Trial:
    return Trial(Homer(HomerSettings(), 2000, Seeds(0)), exo_dim=0)


def test_states_are_decoded_without_exogenous_noise(noiseless: Trial) -> None:
    assert noiseless.accuracy(1) > 0.95 and noiseless.accuracy(2) > 0.95


def test_the_cover_reaches_every_state_and_the_plan_is_the_best(noiseless: Trial) -> None:
    dynamics = noiseless.world.endogenous
    for cover in noiseless.learned.covers.values():
        assert sorted(true_states(dynamics, cover)) == [0, 1, 2]
    assert plan_value(dynamics, noiseless.learned.plan) == 1.0


def test_a_path_of_the_cover_reaches_the_abstract_state_it_stands_for(noiseless: Trial) -> None:
    names = noiseless.names(2)
    for abstract, path in enumerate(noiseless.learned.covers[2]):
        (state,) = true_states(noiseless.world.endogenous, path[None])
        assert names[state] == abstract


def test_exogenous_noise_takes_the_place_of_the_state() -> None:
    noisy = Trial(Homer(HomerSettings(epochs=3, restarts=2), 2000, Seeds(0)), exo_dim=100)
    assert noisy.accuracy(2) < 0.7


def test_every_episode_is_counted_and_reported(noiseless: Trial) -> None:
    assert noiseless.interaction.episodes == 2 * 2000
    assert [progress.episodes for progress in noiseless.heard[:: len(noiseless.heard) - 1]] == [2000, 4000]
    assert all(np.isfinite(progress.loss) for progress in noiseless.heard)


def test_the_same_seed_learns_the_same() -> None:
    runs = [Trial(Homer(QUICK, 300, Seeds(seed)), samples=300, seed=seed).learned for seed in (3, 3, 4)]
    assert same(runs[0], runs[1]) and not same(runs[0], runs[2])


def test_a_listener_can_stop_it() -> None:
    interaction = Interaction(make_environment(RunConfig()), Seeds(0))
    with pytest.raises(Enough):
        Homer(QUICK, 300, Seeds(0)).learn(interaction, stop_at_once)
    assert interaction.episodes == 300


def test_it_reads_images() -> None:
    settings = HomerSettings(budget=13, epochs=2, restarts=1)
    trial = Trial(Homer(settings, 200, Seeds(0)), env="grid", distractor="none", samples=200)
    assert trial.accuracy(1) > 0.7 and trial.learned.covers[2].shape == (13, 2)
