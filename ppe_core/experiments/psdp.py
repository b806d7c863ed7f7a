"""Planning by PSDP with the cover that a run of PPE found, beside the plan that value iteration made of it."""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ppe_core.config import PPESettings, RunConfig, Settings, option
from ppe_core.envs.base import Array, Interaction
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.errors import Unusable
from ppe_core.experiments.records import RunRecord
from ppe_core.experiments.run import one_thread
from ppe_core.experiments.trials import policy_value
from ppe_core.planning.psdp import Policy, psdp
from ppe_core.ppe.paths import empty_cover
from ppe_core.seeding import Seeds


@dataclass(frozen=True)
class PSDPSettings(Settings):
    """What PSDP can be told."""

    psdp_samples: int = option(2000, "episodes that PSDP collects at each time step", 1, 1_000_000)


@dataclass(frozen=True)
class PSDPRecord:
    """What came of planning twice with one run of PPE."""

    config: RunConfig  # of PPE
    settings: PSDPSettings
    policy: Policy
    value: float  # of PSDP's policy, which looks at every observation
    plan_value: float  # of value iteration's plan, which does not
    optimal_value: float
    ppe_episodes: int
    psdp_episodes: int
    seconds: float  # that PSDP took

    def summary(self) -> dict[str, Any]:
        """The record in short: what `--json` prints."""
        return {
            "id": self.config.id,
            "config": self.config.flat(),
            "psdp_samples": self.settings.psdp_samples,
            "value": self.value,
            "plan_value": self.plan_value,
            "optimal_value": self.optimal_value,
            "episodes": self.ppe_episodes + self.psdp_episodes,
            "ppe_episodes": self.ppe_episodes,
            "psdp_episodes": self.psdp_episodes,
            "seconds": self.seconds,
        }


def require_ppe(config: RunConfig) -> None:
    if config.learner.name != PPESettings.name:
        raise ValueError(f"learner: {config.learner.name!r} is not possible; PSDP plans with the cover of ppe")


def plan_by_psdp(record: RunRecord, settings: PSDPSettings | None = None) -> PSDPRecord:
    """PSDP in the world of a finished run; what it finds depends on the run's config and its own settings alone."""
    settings = settings or PSDPSettings()
    config, seeds = record.config, Seeds(record.config.seed)
    environment = make_environment(config)
    interaction = Interaction(environment, seeds)
    start = perf_counter()
    with one_thread():
        # PPE draws for time steps from 1 on, so the generator of 0 is free.
        policy = psdp(interaction, covers_of(record), settings.psdp_samples, seeds.generator("collection"))
        seconds = perf_counter() - start
        value = policy_value(environment, policy, seeds)
    return PSDPRecord(
        config=config,
        settings=settings,
        policy=policy,
        value=value,
        plan_value=record.value,
        optimal_value=record.optimal_value,
        ppe_episodes=record.episodes,
        psdp_episodes=interaction.episodes,
        seconds=seconds,
    )


def covers_of(record: RunRecord) -> dict[int, Array]:
    """Ψ_h by h, from the empty path on."""
    if record.stopped:
        raise Unusable(f"PSDP needs a cover of every time step, and the run stopped early: {record.stopped}")
    return {0: empty_cover()} | {level.found.h: level.found.cover for level in record.levels}
