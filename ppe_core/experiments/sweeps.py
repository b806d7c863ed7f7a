"""What theory says of a config, and how far runs are from it: exact recovery, gaps against N, errors against η."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.envs.base import Endogenous
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.records import RunRecord
from ppe_core.theory.bounds import Bands, exact_margin
from ppe_core.theory.oracle import ExactLevel, Recovery, exact_level, exact_ppe, reachable_states

Array = np.ndarray


def dynamics(config: RunConfig) -> Endogenous:
    return make_environment(config).endogenous


def infinite_data(config: RunConfig) -> list[Recovery]:
    """PPE on the exact gaps, as the config's learner would compare and merge."""
    learner = config.learner
    return list(
        exact_ppe(dynamics(config), config.horizon, learner.threshold, learner.gap, max_paths=learner.max_paths)
    )


def exact_of(config: RunConfig, paths: Array) -> ExactLevel:
    """The exact quantities of given paths in the world of a config."""
    return exact_level(dynamics(config), paths)


def states_a_step(config: RunConfig) -> int:
    """S: the most states that a time step can reach."""
    return max(len(states) for states in reachable_states(dynamics(config), config.horizon))


def margin_at(config: RunConfig, eta: float) -> tuple[Bands, Bands]:
    """At the last time step, in units of 1/|Υ|: the lemma's bounds, and the exact extremes where they exist."""
    noisy = config.replace(eta=eta)
    paths = infinite_data(config.replace(eta=0))[-1].level.paths  # those that PPE compares while the theory holds
    level = exact_of(noisy, paths)
    bound = exact_margin(eta, config.horizon, states_a_step(config), 1)
    same, different = level.extremes(level.gap)
    scale = level.num_paths
    return bound, Bands(np.nan if same is None else same * scale, np.nan if different is None else different * scale)


def distance_to_exact(record: RunRecord) -> float:
    """The mean of |measured - exact| over all pairs of a run's paths, in units of 1/|Υ|; needs a record with its gaps.

    The mean is taken within each time step first: later ones must not outweigh the others by their many pairs.
    """
    world, kind = dynamics(record.config), record.config.learner.gap
    distances = []
    for level in (level.found for level in record.levels):
        exact = exact_level(world, level.paths)
        measured, wanted = (
            (level.paper_gap, exact.gap) if kind == "paper" else (level.signature_gap, exact.signature_gap)
        )
        pairs = np.triu_indices(exact.num_paths, 1)
        off = np.abs(measured.astype(float) - wanted)[pairs] * exact.num_paths
        distances.append(off[np.isfinite(off)].mean())
    return float(np.mean(distances))


def slope(sizes: Sequence[float], distances: Sequence[float]) -> float:
    """The exponent k of the power law distance ∝ N^k that fits best on logarithmic scales."""
    assert all(a < b for a, b in pairwise(sizes)) and len(sizes) == len(distances) > 1
    return float(np.polyfit(np.log(sizes), np.log(distances), 1)[0])
