"""Closed forms 1 to 5 of the paper's theory, on the lock and on random dynamics."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppe_core.config import RunConfig
from ppe_core.envs.base import Endogenous
from ppe_core.envs.registry import make_environment
from ppe_core.theory import bounds
from ppe_core.theory.oracle import (
    ExactLevel,
    Recovery,
    cover_slack,
    distance_from_deterministic,
    exact_level,
    exact_levels,
    exact_ppe,
    optimal_value,
    plan_value,
    possible_states,
    reachable_states,
    true_states,
)


def lock(**settings) -> Endogenous:
    return make_environment(RunConfig.from_flat(settings)).endogenous


def lock_levels(horizon: int = 5, **settings) -> list[ExactLevel]:
    return list(exact_levels(lock(horizon=horizon, **settings), horizon))


def random_endogenous(seed: int, states: int, actions: int, horizon: int, deterministic: bool) -> Endogenous:
    rng = np.random.default_rng(seed)
    if deterministic:
        transitions = np.eye(states)[rng.integers(states, size=(horizon, states, actions))]
        start = np.eye(states)[0]
    else:
        transitions = rng.dirichlet(np.full(states, 0.5), size=(horizon, states, actions))
        start = rng.dirichlet(np.ones(states))
    return Endogenous(start, transitions, rng.normal(size=(horizon, states, actions)))


worlds = st.builds(
    random_endogenous, st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 4), st.just(3), st.booleans()
)


@pytest.mark.parametrize("seed", range(3))
def test_path_counts_of_the_lock(seed: int) -> None:
    """Closed form 1: |Υ| = 10 with ω = (1, 1, 8), then 30 with (1, 1, 28)."""
    for level in lock_levels(seed=seed):
        counts = np.bincount(level.true_states)
        assert counts.tolist() == ([1, 1, 8] if level.h == 1 else [1, 1, 28])
        for state, reached in enumerate(counts):
            mine = level.true_states == state
            assert np.allclose(level.bayes_classifier[state], mine / reached)


def test_gaps_and_thresholds_of_the_lock() -> None:
    """Closed form 2: 0.2 and 0.0667 between states, 0 within, against 0.0625 and 0.02083."""
    for level in lock_levels():
        between = 0.2 if level.h == 1 else 2 / 30
        for gap in (level.gap, level.signature_gap):
            same, different = level.extremes(gap)
            assert same == pytest.approx(0, abs=1e-12) and different == pytest.approx(between)
        assert 0 < 0.625 / level.num_paths < between
    assert 0.625 / 10 == 0.0625 and pytest.approx(0.02083, abs=1e-5) == 0.625 / 30


def test_bayes_cross_entropies_of_the_lock() -> None:
    """Closed form 3."""
    expected = [1.6636, 3.1101, 3.1101, 3.1101, 3.1101]
    assert [level.bayes_cross_entropy for level in lock_levels()] == pytest.approx(expected, abs=5e-5)


@settings(max_examples=60)
@given(worlds)
def test_closed_forms_hold_for_any_dynamics(endogenous: Endogenous) -> None:
    """1 and 2: f* rows sum to one, Δ* is the L1 distance over |Υ|, S* ≤ Δ*."""
    actions = endogenous.num_actions
    for h in (1, 2, 3):
        paths = np.array(list(itertools.product(range(actions), repeat=h)))
        level = exact_level(endogenous, paths)
        reached = level.distributions.sum(0) > 1e-12
        assert np.allclose(level.bayes_classifier[reached].sum(1), 1)
        difference = np.abs(level.distributions[:, None] - level.distributions).sum(-1) / level.num_paths
        assert np.allclose(level.gap, difference)
        assert (level.signature_gap <= level.gap + 1e-9).all()


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(2, 4), st.integers(1, 3))
def test_closed_forms_of_deterministic_worlds(seed: int, states: int, actions: int, h: int) -> None:
    """2 and 3: both gaps are 2/|Υ| or 0, the loss is Σ (ω/|Υ|) ln ω."""
    endogenous = random_endogenous(seed, states, actions, h, deterministic=True)
    level = exact_level(endogenous, np.array(list(itertools.product(range(actions), repeat=h))))
    same = level.true_states[:, None] == level.true_states
    assert np.allclose(level.gap, np.where(same, 0, 2 / level.num_paths))
    assert np.allclose(level.signature_gap, level.gap)
    _, reach = np.unique(level.true_states, return_counts=True)
    assert level.bayes_cross_entropy == pytest.approx((reach / level.num_paths * np.log(reach)).sum())


def check_margins(endogenous: Endogenous, horizon: int, eta: float) -> None:
    """Closed form 4 at every time step, and what follows: the partition is exact, the cover an ηh-policy cover."""
    for step in exact_ppe(endogenous, horizon):
        level = step.level
        possible = int((level.distributions.sum(0) > 0).sum())
        same, different = level.extremes(level.gap)
        margin = bounds.exact_margin(eta, level.h, possible, level.num_paths)
        bands = bounds.exact_bands(level.num_paths)
        assert same is None or same <= min(margin.same_at_most, bands.same_at_most) + 1e-12
        assert different is None or different >= max(margin.different_at_least, bands.different_at_least) - 1e-12
        assert step.is_exact
        assert cover_slack(endogenous, step.cover) <= bounds.cover_slack(eta, level.h) + 1e-12


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 8), st.integers(1, 8), st.floats(0, 1))
def test_margins_of_near_deterministic_locks(seed: int, actions: int, horizon: int, share: float) -> None:
    eta = share * bounds.largest_eta(3, horizon)
    endogenous = lock(seed=seed, actions=actions, horizon=horizon, eta=eta, start_eta=eta)
    check_margins(endogenous, horizon, eta)
    for level in exact_levels(endogenous, horizon):
        assert level.extremes(level.signature_gap)[1] > bounds.threshold(level.num_paths)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 5), st.integers(1, 6), st.floats(0, 1))
def test_margins_of_near_deterministic_tables(seed: int, states: int, actions: int, horizon: int, share: float) -> None:
    eta = share * bounds.largest_eta(states, horizon)
    settings = {"env": "tabular", "world": f"random-{states}-{actions}-1", "seed": seed, "eta": eta}
    check_margins(lock(horizon=horizon, **settings), horizon, eta)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(2, 4), st.integers(1, 5), st.floats(0, 1))
def test_margins_wherever_chance_leads(seed: int, states: int, actions: int, horizon: int, share: float) -> None:
    """Half of η goes to states drawn at random, all of it to one of them or to many; the start strays as well."""
    eta = share * bounds.largest_eta(states, horizon)
    rng = np.random.default_rng(seed)
    certain = random_endogenous(seed, states, actions, horizon, deterministic=True)
    elsewhere = rng.dirichlet(np.full(states, rng.choice([0.05, 1.0])), size=(horizon, states, actions))
    endogenous = Endogenous(
        start=(1 - eta / 2) * certain.start + eta / 2 * elsewhere[0, 0, 0],
        transitions=(1 - eta / 2) * certain.transitions + eta / 2 * elsewhere,
        rewards=certain.rewards,
    )
    check_margins(endogenous, horizon, eta)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(2, 5), st.integers(1, 6))
def test_exact_elimination_recovers_the_exact_partition(seed: int, states: int, actions: int, horizon: int) -> None:
    endogenous = random_endogenous(seed, states, actions, horizon, deterministic=True)
    reachable = reachable_states(endogenous, horizon)
    for level in exact_levels(endogenous, horizon):
        assert sorted(set(level.true_states)) == reachable[level.h - 1].tolist()
        expected = actions * (1 if level.h == 1 else len(reachable[level.h - 2]))
        assert level.num_paths == expected


def test_exact_ppe_recovers_two_hundred_random_worlds() -> None:
    """Up to 50 states, 6 actions and 10 time steps; the first fifty are of that size."""
    rng = np.random.default_rng(0)
    for seed in range(200):
        states, actions, horizon = (50, 6, 10) if seed < 50 else rng.integers((2, 2, 2), (51, 7, 11)).tolist()
        endogenous = random_endogenous(seed, states, actions, horizon, deterministic=True)
        reachable = reachable_states(endogenous, horizon)
        for step in exact_ppe(endogenous, horizon):
            assert step.is_exact
            assert len(step.cover) == len(reachable[step.level.h - 1])
            assert set(true_states(endogenous, step.cover)) == set(reachable[step.level.h - 1])


def test_a_partition_is_exact_only_if_it_is_the_true_one() -> None:
    level = exact_level(lock(horizon=1, actions=4), np.arange(4)[:, None])
    true = level.true_states
    first = np.array([np.flatnonzero(true == state)[0] for state in true])
    assert Recovery(level, first).is_exact
    assert not Recovery(level, np.zeros(4, int)).is_exact  # all merged
    assert not Recovery(level, np.arange(4)).is_exact  # none merged
    crossed = first.copy()
    crossed[true == true[np.argmax(first != np.arange(4))]] = [0, 1]  # as many blocks, but other ones
    assert not Recovery(level, crossed).is_exact


@pytest.mark.parametrize("gap", ["paper", "signature"])
def test_too_small_a_threshold_stops_before_paths_explode(gap: str) -> None:
    endogenous = random_endogenous(0, states=5, actions=4, horizon=6, deterministic=False)
    with pytest.raises(ValueError, match="max_paths: time step 5 has 1024 paths, more than 500"):
        list(exact_ppe(endogenous, 6, threshold=0, gap=gap, max_paths=500))


def test_a_cover_that_misses_a_state_says_by_how_much() -> None:
    endogenous = lock(horizon=2)
    *_, last = exact_ppe(endogenous, 2)
    assert cover_slack(endogenous, last.cover) == 0
    reached = true_states(endogenous, last.cover)
    assert cover_slack(endogenous, last.cover[reached != 0]) == 1


@settings(max_examples=50)
@given(worlds)
def test_no_plan_beats_the_optimal_value_and_deterministic_worlds_reach_it(endogenous: Endogenous) -> None:
    plans = itertools.product(range(endogenous.num_actions), repeat=3)
    best = max(plan_value(endogenous, np.array(actions)) for actions in plans)
    optimum = optimal_value(endogenous, 3)
    assert best <= optimum + 1e-9
    if endogenous.is_deterministic:
        assert best == pytest.approx(optimum)


@settings(max_examples=60)
@given(worlds)
def test_the_distance_from_deterministic_is_that_of_the_likeliest_model(endogenous: Endogenous) -> None:
    certain = np.eye(len(endogenous.start))
    start = np.abs(endogenous.start - certain[endogenous.likely_start]).sum()
    moves = np.abs(endogenous.transitions - certain[endogenous.likely_next]).sum(-1)
    assert distance_from_deterministic(endogenous) == pytest.approx(max(start, moves.max()))


@settings(max_examples=60)
@given(worlds)
def test_possible_states_are_those_of_some_path(endogenous: Endogenous) -> None:
    for h, states in enumerate(possible_states(endogenous, 3), 1):
        paths = np.array(list(itertools.product(range(endogenous.num_actions), repeat=h)))
        assert np.flatnonzero(exact_level(endogenous, paths).distributions.sum(0)).tolist() == states.tolist()


def test_value_of_the_lock_is_one() -> None:
    assert optimal_value(lock(horizon=7), 7) == 1.0


def test_true_states_follow_the_likely_transitions() -> None:
    endogenous = lock(horizon=3, eta=0.2)
    paths = np.array(list(itertools.product(range(10), repeat=3)))
    assert np.bincount(true_states(endogenous, paths)).tolist() == [1, 1, 998]


def test_simulated_paths_end_where_the_oracle_says() -> None:
    environment = make_environment(RunConfig.from_flat({"horizon": 3, "eta": 0.5, "start_eta": 0.3, "actions": 3}))
    paths = np.array(list(itertools.product(range(3), repeat=3)))
    exact = exact_level(environment.endogenous, paths).distributions
    for path, expected in zip(paths[::9], exact[::9]):
        latent, _ = environment.rollout(np.tile(path, (20_000, 1)), np.random.default_rng(0))
        assert np.bincount(latent.endogenous, minlength=3) / 20_000 == pytest.approx(expected, abs=0.015)
