"""A look at a world without a run."""

import subprocess
import sys
from pathlib import Path

import pytest

from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.samples import true_transitions
from ppe_core.theory.oracle import reachable_states

ROOT = Path(__file__).parents[2]


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


def test_a_page_can_look_at_both_worlds_without_torch() -> None:
    code = (
        "import sys; from ppe_core.config import RunConfig; from ppe_core.experiments.samples import true_transitions;"
        "[true_transitions(RunConfig.from_flat({'env': env})) for env in ('lock', 'grid')];"
        "import ui.model_graph, ui.state_details; sys.exit('torch was imported' if 'torch' in sys.modules else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
