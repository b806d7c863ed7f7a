"""Theory beside runs: PPE with infinite data as a config asks for it, and how far a run is from the exact answer."""

import json

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.infinite import as_levels, infinite_data
from ppe_core.experiments.run import run
from ppe_core.experiments.sweeps import (
    distance_to_exact,
    eta_of,
    has_exogenous_reward,
    largest_eta_of,
    margin_at,
    slope,
    states_a_step,
    strayed_states,
)

WORLDS = [
    {"env": "lock"},
    {"env": "tabular", "world": "park"},
    {"env": "tabular", "world": "diamond"},
    {"env": "tabular", "world": "random-8-3-4"},
]


MOSTLY_ON = json.dumps({"transitions": [[[0.01, 0.99], 0], [1, [0.99, 0.01]]]})


def config(**settings) -> RunConfig:
    return RunConfig.from_flat({"horizon": 3} | settings)


@pytest.mark.parametrize("world", [*WORLDS, {"env": "grid"}, {"env": "exo-lock"}], ids=lambda w: "-".join(w.values()))
@pytest.mark.parametrize("gap", ["paper", "signature"])
def test_infinite_data_recover_deterministic_worlds(world: dict, gap: str) -> None:
    steps = infinite_data(config(**world, gap=gap))
    assert len(steps) == 3 and all(step.is_exact for step in steps)


def test_the_threshold_of_the_config_decides_what_merges() -> None:
    assert not all(step.is_exact for step in infinite_data(config(threshold=2.0)))


@pytest.mark.parametrize("world", WORLDS, ids=lambda w: "-".join(w.values()))
def test_measured_gaps_come_closer_to_the_exact_ones_as_samples_grow(world: dict) -> None:
    sizes = (300, 1000, 4000)
    far = [
        np.median([distance_to_exact(run(config(**world, recipe="paper", samples=n, seed=s))) for s in (0, 1)])
        for n in sizes
    ]
    assert slope(sizes, far) < -0.3


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_nothing_goes_wrong_while_the_theory_holds(share: float, seed: int) -> None:
    base = RunConfig.from_flat({"samples": 2000, "seed": seed})
    assert run(base.replace(eta=share * largest_eta_of(base))).errors == (0, 0)


@pytest.mark.parametrize("eta", [0.0, 1 / 120, 1 / 60])
def test_exact_gaps_lie_within_the_margins(eta: float) -> None:
    bound, exact = margin_at(config(), eta)
    assert exact.same_at_most <= bound.same_at_most + 1e-12
    assert exact.different_at_least >= bound.different_at_least - 1e-12


@pytest.mark.parametrize("eta", [0.0, 0.01])
def test_exact_gaps_lie_within_the_margins_where_chance_is_the_worlds_own(eta: float) -> None:
    """The bounds go by how far the dynamics really are from deterministic ones."""
    for chance in (config(start_eta=0.03), config(env="tabular", world=MOSTLY_ON)):
        bound, exact = margin_at(chance, eta)
        assert exact.same_at_most <= bound.same_at_most + 1e-12
        assert exact.different_at_least >= bound.different_at_least - 1e-12


def test_eta_includes_the_start_and_chances_of_the_world_itself() -> None:
    assert eta_of(config()) == 0
    assert eta_of(config(eta=0.05)) == pytest.approx(0.05)
    assert eta_of(config(eta=0.05, start_eta=0.3)) == pytest.approx(0.3)
    assert eta_of(config(env="tabular", world=MOSTLY_ON)) == pytest.approx(0.02)


def test_states_that_only_chance_leads_to_count_for_the_margin() -> None:
    """All 50 states are possible once η is more than 0, but paths lead to 24 of them at most."""
    large = RunConfig.from_flat({"env": "tabular", "world": "random-50-2-1"})
    assert (states_a_step(large), strayed_states(large)) == (24, 50)
    assert largest_eta_of(large) == largest_eta_of(large.replace(eta=0.5)) == 1 / (4 * 50 * 5)
    assert strayed_states(config()) == states_a_step(config()) == 3
    assert strayed_states(config(env="grid")) == states_a_step(config(env="grid")) == 28


def test_only_the_lock_with_a_light_pays_for_the_noise() -> None:
    assert has_exogenous_reward(config(env="exo-lock"))
    assert not any(has_exogenous_reward(config(**world)) for world in (*WORLDS, {"env": "grid"}))


@pytest.mark.parametrize("threshold", [0.625, 2.0])
def test_infinite_data_look_like_a_run(threshold: float) -> None:
    """As many errors as the exact merges have, and the states and paths of a run without errors."""
    asked = config(env="tabular", world="random-8-3-4", samples=2000, threshold=threshold)
    steps = infinite_data(asked)
    levels = as_levels(asked, steps)
    assert [level.errors == (0, 0) for level in levels] == [step.is_exact for step in steps]
    if threshold == 0.625:
        learned = run(asked)
        assert learned.exact_recovery
        for ours, theirs in zip(levels, learned.levels):
            assert np.array_equal(ours.found.survivor, theirs.found.survivor)
            keys = ("h", "paths", "states_true", "states_found", "coverage", "threshold")
            assert [ours.summary()[key] for key in keys] == [theirs.summary()[key] for key in keys]


def test_a_power_law_has_its_slope() -> None:
    assert slope([10, 100, 1000], [5.0, 0.5, 0.05]) == pytest.approx(-1)
