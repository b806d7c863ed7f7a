"""Worlds of tables: dynamics, exogenous chain, emission, and PPE on them."""

import json

import numpy as np
import pytest

from ppe_core.config import RunConfig, TabularSettings, option_fields
from ppe_core.envs.base import Latent
from ppe_core.envs.registry import make_environment
from ppe_core.envs.tabular import TabularWorld
from ppe_core.experiments.run import run
from ppe_core.seeding import Seeds
from ppe_core.tables import NAMED
from ppe_core.theory.oracle import optimal_value, reachable_states

WRITTEN = {
    "transitions": [[1, 0], [[0.1, 0.9], 0]],
    "rewards": [[0, 0], [1, 0.5]],
    "start": [0.25, 0.75],
    "exogenous": {"start": [0.2, 0.8], "transitions": [[0.9, 0.1], 1]},
}


def tabular(horizon: int = 5, seed: int = 0, **settings) -> TabularWorld:
    return TabularWorld(TabularSettings(**settings), horizon, Seeds(seed))


def test_the_tables_are_those_that_were_written() -> None:
    environment = tabular(world=json.dumps(WRITTEN))
    tables = environment.endogenous
    assert tables.start.tolist() == [0.25, 0.75]
    assert tables.transitions.tolist() == [[[[0, 1], [1, 0]], [[0.1, 0.9], [1, 0]]]]
    assert tables.rewards.tolist() == [[[0, 0], [1, 0.5]]]
    assert environment.exogenous.transitions.tolist() == [[0.9, 0.1], [0, 1]]


def test_the_exogenous_chain_has_its_law() -> None:
    chain = tabular(world=json.dumps(WRITTEN)).exogenous
    rng = np.random.default_rng(0)
    state = chain.start(40_000, rng)
    assert (state == 0).mean() == pytest.approx(0.2, abs=0.01)
    state = chain.advance(state, 3, rng)
    assert (state == 0).mean() == pytest.approx(0.2 * 0.9**3, abs=0.01)


@pytest.mark.parametrize("world", [*NAMED, "random-9-3-5"])
def test_without_noise_every_latent_state_has_an_observation_of_its_own(world: str) -> None:
    """The block assumption."""
    environment = tabular(world=world, noise=0)
    states, exogenous = len(environment.endogenous.start), len(environment.exogenous.first)
    latent = Latent(0, *(x.ravel() for x in np.indices((states, exogenous))))
    seen = environment.observe(latent, np.random.default_rng(0))
    assert len(np.unique(seen, axis=0)) == states * exogenous
    assert np.array_equal(seen, environment.observe(latent, np.random.default_rng(1)))


def test_observations_are_noise_and_code_rotated() -> None:
    environment = tabular(world="park", noise=0.3)
    rng = np.random.default_rng(0)
    latent = Latent(0, np.zeros(4000, int), np.zeros(4000, int))
    seen = environment.observe(latent, rng)
    size = environment.observation_shape[0]
    assert size == 32 and seen.dtype == np.float32
    assert seen.std(0).mean() == pytest.approx(0.3 * np.sqrt(size), rel=0.02)
    code = environment.observe(latent, rng).mean(0)
    assert np.abs(np.round(code)).max() <= 2  # two entries of a code, each with a sign


def test_another_seed_is_another_code() -> None:
    latent = Latent(0, np.arange(6), np.zeros(6, int))
    one, other = (
        tabular(world="park", noise=0, seed=seed).observe(latent, np.random.default_rng(0)) for seed in (0, 1)
    )
    assert not np.array_equal(one, other)


def test_a_random_world_follows_the_seed_and_not_its_exogenous_part() -> None:
    tables = {
        (seed, exogenous): tabular(world=f"random-9-3-{exogenous}", seed=seed).endogenous.transitions
        for seed in (0, 1)
        for exogenous in (1, 5)
    }
    assert np.array_equal(tables[0, 1], tables[0, 5])
    assert not np.array_equal(tables[0, 1], tables[1, 1])


@pytest.mark.parametrize("world", ["park", "random-9-3-5"])
def test_eta_is_the_distance_from_deterministic_transitions(world: str) -> None:
    certain, astray = (tabular(world=world, eta=eta).endogenous.transitions for eta in (0, 0.3))
    assert np.abs(certain - astray).sum(-1) == pytest.approx(0.3)
    assert np.array_equal(certain.argmax(-1), astray.argmax(-1))


def test_eta_moves_distributions_by_at_most_eta_and_a_single_state_not_at_all() -> None:
    given, astray = (tabular(world=json.dumps(WRITTEN), eta=eta).endogenous.transitions for eta in (0, 0.3))
    assert np.abs(given - astray).sum(-1).max() <= 0.3 + 1e-12
    alone = tabular(world='{"transitions": [[0, 0]]}', eta=0.3).endogenous.transitions
    assert alone.tolist() == [[[[1.0], [1.0]]]]


def test_a_walk_in_the_park_gets_home_in_five_steps() -> None:
    environment = tabular(world="park")
    assert [len(states) for states in reachable_states(environment.endogenous, 5)] == [2, 3, 4, 5, 6]
    assert [optimal_value(environment.endogenous, horizon) for horizon in (4, 5, 9)] == [0, 1, 1]
    assert environment.state_name(3) == "pond"
    assert tabular(world="random-9-3-5").state_name(3) == "3"


@pytest.mark.parametrize("world", [*NAMED, "random-12-4-8", '{"transitions": [[0, 0]]}'])
def test_ppe_recovers_it(world: str) -> None:
    record = run(RunConfig.from_flat({"env": "tabular", "world": world, "samples": 1000}))
    assert record.exact_recovery
    assert record.value == pytest.approx(record.optimal_value)
    assert not any(level.leak_suspected for level in record.levels)


@pytest.mark.parametrize("learner", ["ppo", "ppo-rnd", "bisim", "homer", "id", "autoencoder", "ac-state"])
def test_baselines_run_on_it(learner: str) -> None:
    config = RunConfig.from_flat({"env": "tabular", "learner": learner, "horizon": 2, "samples": 100})
    summary = run(config).summary()
    assert summary["episodes"] > 0 and summary["optimal_value"] == 0


CHANGES = {"world": "ring", "noise": 0.6, "eta": 0.4}


def test_the_list_of_changes_is_complete() -> None:
    assert set(CHANGES) == {field.name for field in option_fields(TabularSettings)}


@pytest.mark.parametrize("field", CHANGES)
def test_every_field_changes_the_record(field: str) -> None:
    base = RunConfig.from_flat({"env": "tabular", "horizon": 3, "samples": 60})
    one, other = (run(config).summary() for config in (base, base.replace(**{field: CHANGES[field]})))
    assert str(one["levels"]) != str(other["levels"])


def test_settings_know_their_sizes() -> None:
    config = RunConfig.from_flat({"env": "tabular", "world": "random-40-7-9"})
    environment = make_environment(config)
    assert config.environment.first_paths == environment.num_actions == 7
    assert config.environment.observation_bytes(5) == 4 * environment.observation_shape[0]
