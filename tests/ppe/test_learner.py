from itertools import pairwise

import numpy as np
import pytest

from ppe_core.config import PPESettings, RunConfig
from ppe_core.envs.base import Interaction, Latent
from ppe_core.envs.lock import CombinationLock
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.records import LevelRecord, RunRecord, Truth
from ppe_core.experiments.run import run
from ppe_core.ppe.learner import PPE, TooManyPaths
from ppe_core.ppe.level import Level
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import exact_level


def record(**settings) -> RunRecord:
    return run(RunConfig.from_flat(settings))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("horizon", "samples"), [(5, 500), (10, 500), (20, 1000)])
def test_the_lock_is_recovered(horizon: int, samples: int, seed: int) -> None:
    result = record(horizon=horizon, samples=samples, seed=seed)
    assert result.errors == (0, 0) and result.exact_recovery
    assert result.value == result.optimal_value == 1.0
    assert all(level.truth.coverage == 1.0 for level in result.levels)


@pytest.mark.parametrize(
    "settings",
    [
        {"actions": 4}, {"exo_dim": 0}, {"exo_dim": 40}, {"noise": 0.2}, {"actions": 20, "samples": 3000},
        {"emission": "gaussian"}, {"emission": "bernoulli"}, {"emission": "hadamard"}, {"horizon": 1},
    ],
)  # fmt: skip
def test_other_locks_are_recovered(settings: dict) -> None:
    result = record(**{"horizon": 6, "samples": 2000, "seed": 11} | settings)
    assert result.errors == (0, 0) and result.value == 1.0


def test_sums_up_to_the_closed_form_of_half_regret() -> None:
    assert record(horizon=5, samples=500, seed=5).half_regret_episodes == 4805


@pytest.mark.parametrize("seed", range(2))
def test_as_printed_the_paper_recovers_with_many_samples(seed: int) -> None:
    result = record(horizon=5, samples=2000, seed=seed, gap="paper", recipe="paper", sampling="iid")
    assert result.errors[0] == 0 and result.value == 1.0


def test_as_printed_the_paper_fails_with_few_samples() -> None:
    result = record(horizon=5, samples=500, gap="paper", recipe="paper", sampling="iid")
    assert sum(result.errors) > 0 and result.value < 1.0


@pytest.mark.parametrize("eta", [1 / (4 * 3 * 5), 1 / (4 * 16 * 5)])
def test_near_deterministic_dynamics_make_no_wrong_merge(eta: float) -> None:
    """S is 3 a time step or 16 in all, depending on how one reads the paper."""
    result = record(horizon=5, samples=2000, eta=eta)
    assert result.errors[0] == 0
    assert result.value == pytest.approx(result.optimal_value, rel=0.02)


def test_levels_follow_from_each_other() -> None:
    levels = [level.found for level in record(horizon=4).levels]
    for before, after in pairwise(levels):
        assert np.array_equal(after.paths[::10, :-1], before.cover)
        assert np.array_equal(after.paths[:, -1], np.tile(np.arange(10), len(before.cover)))


def test_a_run_with_too_many_paths_stops_with_a_reason_and_a_plan() -> None:
    result = record(horizon=5, samples=500, threshold=0.0)
    assert len(result.levels) == 2 and not result.exact_recovery
    assert "time step 3 would have 1000 paths, more than samples = 500" in result.stopped
    assert len(result.plan) == 5
    with pytest.raises(TooManyPaths, match="more than max_paths = 20"):
        world = make_environment(RunConfig())
        list(PPE(PPESettings(max_paths=20, threshold=0.0), 500, Seeds(0)).learn(Interaction(world, Seeds(0))))


def test_training_loss_is_never_below_the_bayes_loss() -> None:
    for seed in range(3):
        for level in record(horizon=8, samples=1000, seed=seed).levels:
            assert not level.leak_suspected
            assert level.found.held_out_losses.mean() < level.truth.bayes_cross_entropy + 0.2


class LeakyLock(CombinationLock):
    """Writes the last action of the path into its exogenous bits, as no EX-BMDP may."""

    def rollout(self, paths: np.ndarray, rng: np.random.Generator) -> tuple[Latent, np.ndarray]:
        latent, rewards = super().rollout(paths, rng)
        latent.exogenous[:, :4] = paths[:, -1:] >> np.arange(4) & 1
        return latent, rewards


def test_a_planted_leak_is_caught() -> None:
    config = RunConfig.from_flat({"horizon": 2, "exo_dim": 4, "samples": 1000})
    suspected = {}
    for kind in (CombinationLock, LeakyLock):
        world = kind(config.environment, config.horizon, Seeds(0))
        learner = PPE(config.learner, config.samples, Seeds(0))
        found = next(learner.learn(Interaction(world, Seeds(0))))[0]
        suspected[kind] = LevelRecord(found, truth_of(world, found)).leak_suspected
    assert suspected == {CombinationLock: False, LeakyLock: True}


def truth_of(world: CombinationLock, found: Level) -> Truth:
    exact = exact_level(world.endogenous, found.paths)
    return Truth(exact.true_states, np.arange(3), 1.0, exact.bayes_cross_entropy, np.zeros((3, 10)), 1.0, 0.0)
