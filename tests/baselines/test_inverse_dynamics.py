"""ID keeps apart what shares a parent, merges what does not, and forgets the noise."""

import pytest

from ppe_core.baselines.inverse_dynamics import InverseDynamics
from ppe_core.config import IDSettings, RunConfig
from ppe_core.envs.base import Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.seeding import Seeds
from tests.baselines.abstraction_trial import Enough, Trial, same, stop_at_once

QUICK = IDSettings(epochs=1, restarts=2)


@pytest.fixture(scope="module", params=[0, -1], ids=["without noise", "with noise"])
def trial(request: pytest.FixtureRequest) -> Trial:
    return Trial(InverseDynamics(IDSettings(), 2000, Seeds(1)), seed=1, exo_dim=request.param)


def test_states_that_share_a_parent_are_kept_apart(trial: Trial) -> None:
    assert trial.accuracy(1) > 0.95
    type_a, type_b, type_c = trial.names(2)
    assert type_c not in (type_a, type_b)


def test_states_without_a_common_parent_are_merged(trial: Trial) -> None:
    type_a, type_b, _ = trial.names(2)
    assert type_a == type_b
    assert trial.accuracy(2) == pytest.approx(7 / 9, abs=0.03)


def test_the_same_seed_learns_the_same() -> None:
    runs = [Trial(InverseDynamics(QUICK, 300, Seeds(seed)), samples=300, seed=seed).learned for seed in (3, 3, 4)]
    assert same(runs[0], runs[1]) and not same(runs[0], runs[2])


def test_a_listener_can_stop_it() -> None:
    interaction = Interaction(make_environment(RunConfig()), Seeds(0))
    with pytest.raises(Enough):
        InverseDynamics(QUICK, 300, Seeds(0)).learn(interaction, stop_at_once)


def test_it_reads_images() -> None:
    settings = IDSettings(budget=13, epochs=3, restarts=1)
    trial = Trial(InverseDynamics(settings, 200, Seeds(0)), env="grid", distractor="none", samples=200)
    assert trial.accuracy(1) > 0.7 and trial.learned.covers[2].shape == (13, 2)
