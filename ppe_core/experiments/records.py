"""What a run leaves behind: arrays and numbers only, readable without torch."""

import platform
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.metrics import half_regret_episodes, pair_errors
from ppe_core.planning.latent_model import LatentModel, latent_model
from ppe_core.ppe.level import Level

Array = np.ndarray
LEAK_DEVIATIONS = 4.0  # standard errors of the held-out loss that count as noise


@dataclass(frozen=True)
class Truth:
    """One level beside the oracle's answer."""

    states: Array  # [paths], the endogenous state each path reaches
    reachable: Array  # all endogenous states of this time step
    coverage: float  # share of them that the cover reaches
    bayes_cross_entropy: float  # the least expected loss of any classifier of these paths
    confusion: Array  # [reachable, paths], decoded states of fresh observations
    decoding_accuracy: float
    seconds: float  # time the evaluation took


@dataclass(frozen=True)
class LevelRecord:
    """What the learner found at one time step, and the truth about it."""

    found: Level
    truth: Truth

    @cached_property
    def errors(self) -> tuple[int, int]:
        """Type 1 and type 2 errors."""
        return pair_errors(self.truth.states, self.found.survivor)

    @property
    def seconds(self) -> float:
        return sum(self.found.seconds.values()) + self.truth.seconds

    @property
    def leak_suspected(self) -> bool:
        """Whether the held-out loss is below the Bayes cross-entropy beyond noise.

        No honest classifier can be: it would have to know something that the endogenous state
        does not tell, such as the label itself.
        """
        losses = self.found.held_out_losses
        allowance = LEAK_DEVIATIONS * losses.std() / np.sqrt(len(losses)) + 1e-6
        return bool(losses.mean() + allowance < self.truth.bayes_cross_entropy)

    def summary(self) -> dict[str, Any]:
        return {
            "h": self.found.h,
            "paths": len(self.found.paths),
            "states_true": len(self.truth.reachable),
            "states_found": len(self.found.states),
            "type1": self.errors[0],
            "type2": self.errors[1],
            "threshold": self.found.threshold,
            "coverage": self.truth.coverage,
            "decoding_accuracy": self.truth.decoding_accuracy,
            "held_out_loss": float(self.found.held_out_losses.mean()),
            "bayes_cross_entropy": self.truth.bayes_cross_entropy,
            "leak_suspected": self.leak_suspected,
        }


@dataclass(frozen=True)
class RunRecord:
    """A finished run."""

    config: RunConfig
    levels: list[LevelRecord]
    plan: Array  # [horizon], actions
    plan_promise: float  # the return the recovered model expects of the plan
    value: float  # the return it really has
    optimal_value: float
    stopped: str | None  # why the run ended before its last time step, if it did
    seconds: float  # in all
    versions: dict[str, str]

    @property
    def errors(self) -> tuple[int, int]:
        """Type 1 and type 2 errors, summed over the time steps."""
        return sum(level.errors[0] for level in self.levels), sum(level.errors[1] for level in self.levels)

    @property
    def exact_recovery(self) -> bool:
        return self.stopped is None and self.errors == (0, 0)

    @property
    def model(self) -> LatentModel:
        return recovered_model([level.found for level in self.levels])

    @property
    def episodes(self) -> int:
        return sum(len(level.found.returns) for level in self.levels)

    @property
    def returns(self) -> Array:
        """The return of every episode, in order."""
        return np.concatenate([level.found.returns for level in self.levels])

    @property
    def half_regret_episodes(self) -> int | None:
        return half_regret_episodes(self.returns, self.value, self.optimal_value)

    def summary(self) -> dict[str, Any]:
        """The record in short: what `--json` prints."""
        type1, type2 = self.errors
        seconds = {
            stage: sum(level.found.seconds[stage] for level in self.levels)
            for stage in ("collect", "train", "eliminate")
        }
        seconds["evaluate"] = sum(level.truth.seconds for level in self.levels)
        return {
            "id": self.config.id,
            "config": self.config.flat(),
            "levels": [level.summary() for level in self.levels],
            "type1": type1,
            "type2": type2,
            "exact_recovery": self.exact_recovery,
            "decoding_accuracy": self.levels[-1].truth.decoding_accuracy,
            "episodes": self.episodes,
            "plan": self.plan.tolist(),
            "plan_promise": self.plan_promise,
            "value": self.value,
            "optimal_value": self.optimal_value,
            "half_regret_episodes": self.half_regret_episodes,
            "stopped": self.stopped,
            "seconds": seconds | {"total": self.seconds},
            "versions": self.versions,
        }


def recovered_model(levels: list[Level]) -> LatentModel:
    num_actions = int(levels[0].paths.max()) + 1
    return latent_model([x.survivor for x in levels], [x.rewards for x in levels], num_actions)


def versions(config: RunConfig) -> dict[str, str]:
    packages = {name: version(name) for name in ("numpy", "torch")}
    return {"python": platform.python_version(), "results": str(config.learner.results_version)} | packages
