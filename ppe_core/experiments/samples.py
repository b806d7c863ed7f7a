"""A look at the world of a config, without a run: observations of its states, and where actions lead."""

import numpy as np

from ppe_core.config import RunConfig
from ppe_core.envs.registry import make_environment
from ppe_core.seeding import Seeds
from ppe_core.theory.oracle import reachable_states

Array = np.ndarray


def sample_observations(config: RunConfig, level: int, count: int) -> dict[int, Array]:
    """For each endogenous state of a time step some observations, distractors drawn afresh: [count, ...]."""
    environment = make_environment(config)
    rng = Seeds(config.seed).generator("evaluation")
    states = reachable_states(environment.endogenous, level)[-1]
    return {int(state): environment.observe_states(np.full(count, state), level, rng) for state in states}


def true_transitions(config: RunConfig) -> list[Array]:
    """Where each action leads under the nearest deterministic model: a time step [states, actions] -> state."""
    endogenous = make_environment(config).endogenous
    return [endogenous.likely_next_at(step) for step in range(config.horizon)]
