"""A policy that looks where it is, planned on a model counted through the decoders of a run."""

from dataclasses import replace

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.base import Endogenous
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.closed_loop import ClosedLoop, closed_loop, even_decoder
from ppe_core.experiments.records import RunRecord
from ppe_core.experiments.run import run


def value(endogenous: Endogenous, record: RunRecord, choices: list[np.ndarray]) -> float:
    """Of the policy, if the decoder never errs: recovered states have the true ones of their paths."""
    states, total = endogenous.start, 0.0
    everywhere = np.arange(len(states))
    true = [np.array([endogenous.likely_start]), *(x.truth.states[x.found.states] for x in record.levels)]
    for step, choice in enumerate(choices):
        actions = np.zeros(len(states), int)
        actions[true[step]] = choice
        total += float(states @ endogenous.rewards_at(step)[everywhere, actions])
        states = states @ endogenous.transitions_at(step)[everywhere, actions]
    return total


def learn(**settings) -> tuple[RunRecord, ClosedLoop]:
    record = run(RunConfig.from_flat(settings))
    assert record.exact_recovery
    return record, closed_loop(record, samples=5000, episodes=20_000)


@pytest.mark.parametrize("seed", range(4))
def test_on_a_near_deterministic_lock_it_is_as_good_as_the_plan_and_near_the_best(seed: int) -> None:
    record, found = learn(eta=0.05, samples=2000, seed=seed)
    exact = value(make_environment(record.config).endogenous, record, found.policy.choices)
    assert record.value <= exact <= record.optimal_value + 1e-9
    assert exact >= record.optimal_value - 0.002
    error = found.returns.std() / np.sqrt(len(found.returns))
    assert found.returns.mean() >= max(record.value, record.optimal_value - 0.002) - 3 * error


def test_on_a_ring_it_finds_its_way_back_where_the_plan_cannot() -> None:
    record, found = learn(env="tabular", world="ring", eta=0.05, samples=2000, horizon=8)
    assert found.returns.mean() > record.value + 0.15
    assert found.returns.mean() > record.optimal_value - 0.03
    assert found.promise == pytest.approx(record.optimal_value, abs=0.05)


def test_counting_uses_fresh_episodes_and_says_how_many() -> None:
    record, found = learn(horizon=2, samples=1000)
    assert found.episodes == 5000 // 10 * 10 + 5000 // 30 * 30
    assert [table.shape for table in found.model.transitions] == [(1, 10, 3), (3, 10, 3)]
    again = closed_loop(record, samples=5000, episodes=20_000)
    assert np.array_equal(found.returns, again.returns)


@pytest.mark.parametrize(
    "settings", [{"recipe": "paper"}, {"recipe": "fast"}, {"env": "grid", "samples": 300}], ids=str
)
def test_a_decoder_comes_back_from_its_weights(settings: dict) -> None:
    """As good on fresh observations as the run says, for every kind of net."""
    record = run(RunConfig.from_flat({"horizon": 2, "samples": 1000} | settings))
    environment, level = make_environment(record.config), record.levels[-1]
    true = np.repeat(level.truth.reachable, 50)
    seen = environment.observe_states(true, 2, np.random.default_rng(0))
    decoded = even_decoder(record, level.found, environment.observation_shape)(seen)
    expected = level.truth.states[level.found.states[decoded]]
    assert (expected == true).mean() > 0.95


def test_a_run_without_classifiers_or_without_an_end_says_so() -> None:
    record = run(RunConfig.from_flat({"horizon": 2, "samples": 300}))
    bare = [replace(level, found=replace(level.found, weights={})) for level in record.levels]
    with pytest.raises(ValueError, match="without its classifiers"):
        closed_loop(replace(record, levels=bare), 100, 100)
    with pytest.raises(ValueError, match="stopped early"):
        closed_loop(replace(record, stopped="too many paths"), 100, 100)
