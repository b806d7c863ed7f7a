"""Theory beside runs: PPE with infinite data as a config asks for it, and how far a run is from the exact answer."""

import numpy as np
import pytest

from ppe_core.config import RunConfig
from ppe_core.experiments.run import run
from ppe_core.experiments.sweeps import distance_to_exact, infinite_data, margin_at, slope, states_a_step

WORLDS = [
    {"env": "lock"},
    {"env": "tabular", "world": "park"},
    {"env": "tabular", "world": "diamond"},
    {"env": "tabular", "world": "random-8-3-4"},
]


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
    limit = 1 / (4 * states_a_step(base) * base.horizon)
    assert run(base.replace(eta=share * limit)).errors == (0, 0)


@pytest.mark.parametrize("eta", [0.0, 1 / 120, 1 / 60])
def test_exact_gaps_lie_within_the_margins(eta: float) -> None:
    bound, exact = margin_at(config(), eta)
    assert exact.same_at_most <= bound.same_at_most + 1e-12
    assert exact.different_at_least >= bound.different_at_least - 1e-12


def test_a_power_law_has_its_slope() -> None:
    assert slope([10, 100, 1000], [5.0, 0.5, 0.05]) == pytest.approx(-1)
