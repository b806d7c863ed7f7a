"""PPE with infinite data, as a config would have it: exact gaps in place of a classifier, no samples, no training."""

from collections.abc import Sequence

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.records import LevelRecord, Truth
from ppe_core.metrics import coverage
from ppe_core.ppe.level import Level
from ppe_core.theory.oracle import Recovery, exact_ppe, reachable_states

Array = np.ndarray
NOTHING = np.empty(0)


def infinite_data(config: RunConfig) -> list[Recovery]:
    """PPE on the exact gaps, as the config's learner would compare and merge."""
    learner, world = config.learner, make_environment(config).endogenous
    return list(exact_ppe(world, config.horizon, learner.threshold, learner.gap, max_paths=learner.max_paths))


def as_levels(config: RunConfig, steps: Sequence[Recovery]) -> list[LevelRecord]:
    """In the form of a run, so that it is drawn like one; what only samples could tell is empty or NaN."""
    reachable = reachable_states(make_environment(config).endogenous, config.horizon)
    return [_level(config, step, states) for step, states in zip(steps, reachable)]


def _level(config: RunConfig, step: Recovery, reachable: Array) -> LevelRecord:
    exact = step.level
    found = Level(
        h=exact.h,
        paths=exact.paths,
        survivor=step.survivor,
        paper_gap=exact.gap,
        signature_gap=exact.signature_gap,
        signatures=exact.distributions @ exact.bayes_classifier,
        threshold=config.learner.threshold / exact.num_paths,
        rewards=np.full(exact.num_paths, np.nan),
        returns=NOTHING,
        curve=NOTHING.reshape(0, 2),
        held_out_losses=np.array([exact.bayes_cross_entropy]),
        weights={},
        seconds={},
    )
    return LevelRecord(
        found,
        Truth(
            states=exact.true_states,
            reachable=reachable,
            coverage=coverage(exact.true_states[found.states], reachable),
            bayes_cross_entropy=exact.bayes_cross_entropy,
            confusion=NOTHING.reshape(0, 0),
            decoding_accuracy=np.nan,
            seconds=0.0,
        ),
    )
