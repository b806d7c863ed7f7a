"""The lock whose reward depends on an exogenous light."""

import itertools

import numpy as np
import pytest

from ppe_core.config import ExoLockSettings, LockSettings, RunConfig
from ppe_core.envs.base import Latent
from ppe_core.envs.exo_lock import LIGHT, OFF, ON, ExogenousLock
from ppe_core.envs.lock import TYPE_A, TYPE_B, CombinationLock
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import optimal_value, plan_value


def exo_lock(horizon: int = 4, seed: int = 0, **settings) -> ExogenousLock:
    return ExogenousLock(ExoLockSettings(**settings), horizon, Seeds(seed))


def paid(world: ExogenousLock, level: int, type_: int, light: int) -> np.ndarray:
    """What every action pays: [actions]."""
    actions = np.arange(world.num_actions)
    bits = np.full((len(actions), world.exogenous.bits), 1 - light)  # the others say the opposite
    bits[:, LIGHT] = light
    return world.reward(Latent(level, np.full(len(actions), type_), bits), actions)


@pytest.mark.parametrize("seed", range(5))
def test_the_light_decides_which_last_action_pays(seed: int) -> None:
    world = exo_lock(seed=seed)
    on, off = (paid(world, 3, TYPE_A, light) for light in (ON, OFF))
    assert np.flatnonzero(on).tolist() == [world.good_a[-1]] and on.max() == 1
    assert np.flatnonzero(off).tolist() == [(world.good_a[-1] + 1) % 10] and off.max() == 1
    for light in (ON, OFF):
        assert np.flatnonzero(paid(world, 3, TYPE_B, light)).tolist() == [world.good_b[-1]]
        assert not any(paid(world, level, state, light).any() for level in range(3) for state in range(3))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("horizon", [1, 2, 3])
def test_whoever_looks_earns_one_and_no_plan_more_than_half(horizon: int, seed: int) -> None:
    world = exo_lock(horizon, seed, actions=4)
    assert optimal_value(world.decision_process, horizon) == pytest.approx(1)
    plans = itertools.product(range(4), repeat=horizon)
    values = [plan_value(world.decision_process, np.array(plan)) for plan in plans]
    assert max(values) == pytest.approx(0.55 if _both_pay(world) else 0.5)


def _both_pay(world: ExogenousLock) -> bool:
    """With one time step an action may pay 1 in the dark and, as type b's, 0.1 in the light."""
    return world.horizon == 1 and world.good_when_off == world.good_b[-1]


@pytest.mark.parametrize("settings", [{}, {"flip": 0.4}, {"eta": 0.3, "start_eta": 0.2}, {"exo_dim": 0}])
def test_the_optimal_value_is_what_the_optimal_policy_earns(settings: dict) -> None:
    """Acting by value iteration on the decision process, in the simulator."""
    world, rng = exo_lock(3, seed=1, actions=4, **settings), np.random.default_rng(0)
    process = world.decision_process
    value, policy = np.zeros(len(process.start)), []
    for step in reversed(range(3)):
        quality = process.rewards_at(step) + process.transitions_at(step) @ value
        policy.insert(0, quality.argmax(1))
        value = quality.max(1)
    latent, total = world.reset(40_000, rng), np.zeros(40_000)
    for choice in policy:
        latent, rewards = world.step(latent, choice[world.decision_state(latent)], rng)
        total += rewards
    assert total.mean() == pytest.approx(optimal_value(process, 3), abs=0.01)


def test_a_rollout_pays_what_steps_pay() -> None:
    world = exo_lock(3, actions=3)
    paths = np.tile(world.good_a, (500, 1))
    rolled, rewards = world.rollout(paths, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    latent = world.reset(500, rng)
    for step in range(3):
        latent, reward = world.step(latent, paths[:, step], rng)
        assert np.array_equal(reward, rewards[:, step])
    assert np.array_equal(rolled.exogenous, latent.exogenous)
    assert rewards.sum(1).mean() == pytest.approx(0.5, abs=0.1) and set(rewards[:, -1]) == {0.0, 1.0}


def test_it_is_the_lock_in_all_else() -> None:
    one, other = exo_lock(5, seed=3), CombinationLock(LockSettings(), 5, Seeds(3))
    assert np.array_equal(one.good_a, other.good_a) and np.array_equal(one.good_b, other.good_b)
    assert np.array_equal(one.endogenous.transitions, other.endogenous.transitions)
    assert one.exogenous.bits == other.exogenous.bits + 1
    assert exo_lock(5, exo_dim=0).exogenous.bits == 1


def test_ids_of_locks_are_what_they_were_before_there_was_a_light() -> None:
    """Stored and bundled runs are found by them."""
    assert RunConfig().id == "lock-3d874192ce5f"
    assert RunConfig.from_flat({"env": "exo-lock"}).id.startswith("exo-lock-")
