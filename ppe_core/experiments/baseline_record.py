"""What the run of a baseline leaves behind: the same questions as a record of PPE answers, as far as it can."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ppe_core.config import RunConfig

Array = np.ndarray


@dataclass(frozen=True)
class BaselineLevel:
    """A decoder of one time step beside the truth, on fresh observations."""

    h: int
    confusion: Array  # [reachable states, labels], decoded labels of fresh observations
    decoding_accuracy: float
    coverage: float | None  # share of the reachable states that its cover reaches, where it has one

    def summary(self) -> dict[str, Any]:
        true, _ = self.confusion.shape
        return {
            "h": self.h,
            "paths": None,
            "states_true": true,
            "states_found": int((self.confusion.sum(0) > 0).sum()),
            "type1": None,
            "type2": None,
            "threshold": None,
            "coverage": self.coverage,
            "decoding_accuracy": self.decoding_accuracy,
            "confusion": self.confusion.tolist(),
        }


@dataclass(frozen=True)
class BaselineRecord:
    """A finished run of a baseline."""

    config: RunConfig
    levels: list[BaselineLevel]
    plan: Array | None  # [horizon], actions, if it acts without looking
    value: float  # the return of its plan or policy
    optimal_value: float
    episodes: int
    half_regret_episodes: int | None
    curve: list[tuple[int, float]]  # episodes so far, and the mean return of those since the last point
    numbers: dict[str, float]  # what else it has to say
    seconds: dict[str, float | None]  # learning is one stage: collecting and eliminating are none of their own
    versions: dict[str, str]
    weights: dict[str, Array] = field(default_factory=dict)
    stopped: None = None  # a baseline has no time step that could be too large

    def summary(self) -> dict[str, Any]:
        """The record in short: what `--json` prints. What a baseline cannot know is null."""
        return {
            "id": self.config.id,
            "config": self.config.flat(),
            "levels": [level.summary() for level in self.levels],
            "type1": None,
            "type2": None,
            "exact_recovery": None,
            "decoding_accuracy": self.levels[-1].decoding_accuracy if self.levels else None,
            "episodes": self.episodes,
            "plan": None if self.plan is None else self.plan.tolist(),
            "plan_promise": None,
            "value": self.value,
            "optimal_value": self.optimal_value,
            "half_regret_episodes": self.half_regret_episodes,
            "curve": self.curve,
            "numbers": self.numbers,
            "stopped": None,
            "seconds": self.seconds,
            "versions": self.versions,
        }

    @classmethod
    def from_summary(cls, config: RunConfig, summary: dict[str, Any], weights: dict[str, Array]) -> "BaselineRecord":
        """The record whose summary this is."""
        names = ("value", "optimal_value", "episodes", "half_regret_episodes", "numbers", "seconds", "versions")
        return cls(
            config=config,
            levels=[
                BaselineLevel(x["h"], np.array(x["confusion"]), x["decoding_accuracy"], x["coverage"])
                for x in summary["levels"]
            ],
            plan=None if summary["plan"] is None else np.array(summary["plan"]),
            curve=[(episodes, mean) for episodes, mean in summary["curve"]],
            weights=weights,
            **{name: summary[name] for name in names},
        )
