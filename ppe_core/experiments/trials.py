"""What a policy that looks is worth: the mean return of fresh episodes."""

from collections.abc import Callable

import numpy as np

from ppe_core.envs.base import Environment, Interaction
from ppe_core.seeding import Seeds

Array = np.ndarray
TRIALS = 1000  # fresh episodes that judge a policy


def policy_value(environment: Environment, act: Callable[[int, Array], Array], seeds: Seeds) -> float:
    """`act` gives actions [n] for a time step from 0 and observations [n, ...]."""
    trials = Interaction(environment, Seeds(seeds.integer("evaluation") % 2**32))
    episodes = trials.begin(TRIALS)
    while not episodes.over:
        episodes.act(act(episodes.step, episodes.observations))
    return float(trials.returns.mean())
