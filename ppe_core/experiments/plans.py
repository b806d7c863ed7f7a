"""What a run of PPE is worth to whoever plans with it: the plan it made, PSDP with its cover, a model counted
through its decoders.

The run is made again, since a stored or bundled one may lack its classifiers; it comes out the same, bit for bit.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ppe_core.config import GridSettings, PPESettings, RunConfig

LONGEST_HORIZON = 20  # PSDP plays the rest of every episode, so its time grows with the square of H
SAMPLES = 2000  # episodes a time step, both of PSDP and for counting
TRIALS = 1000  # fresh episodes that judge a policy which looks


@dataclass(frozen=True)
class PlansRecord:
    """What the policies earn, and how many episodes a time step they were made from beside the run's."""

    optimal: float
    plan: float  # open loop, by value iteration on the merged paths
    psdp: float
    counted: float  # closed loop, by value iteration on the counted model
    samples: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "PlansRecord":
        return cls(**values)


def check_plannable(config: RunConfig) -> None:
    """Refuse what would take more than a few seconds, in words that say what would not."""
    if config.learner.name != PPESettings.name:
        raise ValueError(f"learner: {config.learner.name!r} finds no cover to plan with; ppe does")
    if isinstance(config.environment, GridSettings):
        raise ValueError("env: on pictures this takes minutes; choose a lock or a world of tables")
    if config.horizon > LONGEST_HORIZON:
        raise ValueError(f"horizon: {config.horizon} is more than the {LONGEST_HORIZON} steps that are planned here")


def compare_plans(config: RunConfig) -> PlansRecord:
    """Run PPE and plan in three ways; the same config gives the same answer."""
    check_plannable(config)
    from ppe_core.experiments.closed_loop import closed_loop
    from ppe_core.experiments.psdp import PSDPSettings, plan_by_psdp
    from ppe_core.experiments.run import run

    record = run(config)
    searched = plan_by_psdp(record, PSDPSettings(SAMPLES))
    looped = closed_loop(record, SAMPLES, TRIALS)
    return PlansRecord(record.optimal_value, record.value, searched.value, float(looped.returns.mean()), SAMPLES)
