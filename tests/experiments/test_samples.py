"""A look at a world without a run."""

import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.samples import true_transitions
from ppe_core.theory.oracle import reachable_states


@pytest.mark.parametrize(
    "settings", [{"horizon": 4}, {"horizon": 4, "eta": 0.05}, {"env": "grid", "horizon": 4, "samples": 100}], ids=str
)
def test_true_transitions_lead_through_the_reachable_states(settings: dict) -> None:
    config = RunConfig.from_flat(settings)
    tables = true_transitions(config)
    states = {0}
    for table, reachable in zip(tables, reachable_states(make_environment(config).endogenous, 4), strict=True):
        states = {int(arrival) for state in states for arrival in table[state]}
        assert states == set(reachable.tolist())
