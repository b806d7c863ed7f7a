"""AC-State, looking further back than one step, keeps apart what inverse dynamics merges."""

import numpy as np
import pytest

from ppe_core.baselines.ac_state import ACState
from ppe_core.config import ACStateSettings, RunConfig
from ppe_core.envs.base import Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.run import run
from ppe_core.seeding import Seeds
from tests.baselines.abstraction_trial import Enough, Trial, same, stop_at_once

QUICK = ACStateSettings(epochs=1, restarts=2)


def test_all_states_are_told_apart_with_the_cover_of_ppe() -> None:
    levels = run(RunConfig.from_flat({"horizon": 2})).levels
    covers = {level.found.h: level.found.cover for level in levels}
    trial = Trial(ACState(ACStateSettings(epochs=10), 2000, Seeds(0), covers))
    assert len(set(trial.names(2))) == 3
    assert trial.accuracy(2) > 0.95


def test_covers_that_are_given_are_used_and_its_own_are_told() -> None:
    config = RunConfig.from_flat({"horizon": 2, "samples": 300})
    interaction = Interaction(make_environment(config), Seeds(0))
    learned = ACState(QUICK, 300, Seeds(0), {1: np.array([[7]])}).learn(interaction, lambda progress: None)
    assert learned.covers[2][:, 0].tolist() == [7, 7, 7]
    assert learned.covers[1].shape == (3, 1)


def test_the_same_seed_learns_the_same() -> None:
    runs = [Trial(ACState(QUICK, 300, Seeds(seed)), samples=300, seed=seed).learned for seed in (3, 3, 4)]
    assert same(runs[0], runs[1]) and not same(runs[0], runs[2])


def test_a_listener_can_stop_it() -> None:
    interaction = Interaction(make_environment(RunConfig()), Seeds(0))
    with pytest.raises(Enough):
        ACState(QUICK, 300, Seeds(0)).learn(interaction, stop_at_once)


def test_it_reads_images() -> None:
    settings = ACStateSettings(budget=13, epochs=3, restarts=1)
    trial = Trial(ACState(settings, 200, Seeds(0)), env="grid", distractor="none", samples=200)
    assert trial.accuracy(1) > 0.7 and trial.learned.covers[2].shape == (13, 2)
