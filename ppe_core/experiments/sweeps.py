"""What theory says of a config, and how far runs are from it: gaps against N, margins against η."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.envs.base import Endogenous
from ppe_core.envs.registry import make_environment
from ppe_core.experiments.infinite import infinite_data
from ppe_core.experiments.records import RunRecord
from ppe_core.theory.bounds import Bands, exact_margin, largest_eta
from ppe_core.theory.oracle import (
    ExactLevel,
    distance_from_deterministic,
    exact_level,
    possible_states,
    reachable_states,
)

Array = np.ndarray


def dynamics(config: RunConfig) -> Endogenous:
    return make_environment(config).endogenous


def exact_of(config: RunConfig, paths: Array) -> ExactLevel:
    """The exact quantities of given paths in the world of a config."""
    return exact_level(dynamics(config), paths)


def states_a_step(config: RunConfig) -> int:
    """The most states that paths lead to at a time step while nothing goes astray: as many as a cover has paths."""
    return max(len(states) for states in reachable_states(dynamics(config), config.horizon))


def strayed_states(config: RunConfig) -> int:
    """The most states that a time step can be in as soon as η is more than 0: the largest |S_h| of the margin lemma."""
    astray = config.replace(eta=1) if varies_eta(config) else config  # whichever η: the same states are possible
    return max(len(states) for states in possible_states(dynamics(astray), config.horizon))


def varies_eta(config: RunConfig) -> bool:
    """Whether the world has η among its settings."""
    return hasattr(config.environment, "eta")


def eta_of(config: RunConfig) -> float:
    """How far the dynamics are from deterministic ones, the start and a world's own chances included."""
    return distance_from_deterministic(dynamics(config))


def largest_eta_of(config: RunConfig) -> float:
    """Up to where the margin lemma holds at every time step of a world."""
    return largest_eta(strayed_states(config), config.horizon)


def has_exogenous_reward(config: RunConfig) -> bool:
    """Whether rewards look at more than the endogenous state."""
    environment = make_environment(config)
    return environment.decision_process is not environment.endogenous


def margin_at(config: RunConfig, eta: float) -> tuple[Bands, Bands]:
    """At the last time step, in units of 1/|Υ|: the lemma's bounds, and the exact extremes where they exist."""
    noisy = config.replace(eta=eta)
    paths = infinite_data(config.replace(eta=0))[-1].level.paths  # those that PPE compares while the theory holds
    level = exact_of(noisy, paths)
    bound = exact_margin(eta_of(noisy), config.horizon, strayed_states(config), 1)
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
